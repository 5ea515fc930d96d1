package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// refresh is CHECKS §8: the object as it is now. Its value is null where it is gone.
func (n *node) refresh(obj *states.ResourceInstanceObject) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	meta, diags := n.meta()
	if diags.HasErrors() {
		return obj, diags
	}
	resp := call(n.ctx, n.Engine, "ReadResource", n.text, n.provider.ReadResource, provider.ReadResourceRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: obj.Value, Private: obj.Private, ProviderMeta: meta,
		ClientCapabilities: offered, CurrentIdentity: n.identityOrNull(obj.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	if diags.HasErrors() {
		return obj, diags
	}
	id, said := n.checkIdentity(resp.Identity, "ReadResource", identityRules{unknown: "Provider produced invalid identity"})
	diags = append(diags, said...)
	diags = append(diags, n.said(resp.Diagnostics)...)
	if diags.HasErrors() {
		return obj, diags
	}
	const summary = "Provider produced invalid object"
	v := null(resp.NewState, n.schema.ty)
	if n.terraform() && !v.IsWhollyKnown() {
		return obj, append(diags, n.blame(summary, "left a part of %s unknown, which it has just read.", quoted(n.text))...)
	}
	if problem := conforms(v, n.schema.ty); problem != "" {
		return obj, append(diags, n.blame(summary, "read something for %s that is no object of its type: %s.", quoted(n.text), problem)...)
	}
	if wo := n.checkWriteOnly(v, summary); len(wo) > 0 {
		return obj, append(diags, wo...)
	}
	v = n.normalized(v)
	out := *obj
	out.Value, out.Private, out.Identity = v, resp.Private, id
	if obj.Identity != cty.NilVal && id == cty.NilVal && n.schema.identity == cty.NilType {
		out.Identity = cty.NilVal
	}
	return &out, diags
}

// identityOrNull is what a request carries where there is no identity.
func (n *node) identityOrNull(id cty.Value) cty.Value {
	if id == cty.NilVal && n.schema.identity != cty.NilType {
		return cty.NullVal(n.schema.identity)
	}
	return id
}

// checkDeferred is the error of an answer that was put off: this engine never
// allows it, and OpenTofu does not look.
func (n *node) checkDeferred(d *provider.Deferred, failed bool) tfdiags.Diagnostics {
	if d == nil || failed || !n.terraform() {
		return nil
	}
	return n.blame("Provider deferred changes when Terraform did not allow deferrals", "put off its answer for %s, which this client does not allow.", quoted(n.text))
}

// identityRules are how strict an answer's identity is looked at.
type identityRules struct {
	// unknown is the title of the error for values that are not known, or "" where they
	// may be.
	unknown string
	// missing is the title where the type has no identity schema.
	missing string
}

// checkIdentity judges the identity of an answer. Only Terraform does; OpenTofu
// stores what it gets, if it can.
func (n *node) checkIdentity(id cty.Value, rpc string, rules identityRules) (cty.Value, tfdiags.Diagnostics) {
	if id == cty.NilVal || id.IsNull() {
		return cty.NilVal, nil
	}
	if n.schema.identity == cty.NilType {
		if !n.terraform() {
			return cty.NilVal, nil
		}
		summary := rules.missing
		if summary == "" {
			summary = "Provider produced an identity without a schema"
		}
		return cty.NilVal, n.blame(summary, "returned an identity for %s in %s, but the type %s has no identity schema.", quoted(n.text), rpc, n.addr.Resource.Resource.Type)
	}
	if rules.unknown != "" && n.terraform() && !id.IsWhollyKnown() {
		return cty.NilVal, n.blame(rules.unknown, "returned an identity with unknown values for %s in %s.", quoted(n.text), rpc)
	}
	if n.terraform() {
		if problem := conforms(id, n.schema.identity); problem != "" {
			return cty.NilVal, n.blame("Provider produced an identity that doesn't match the schema", "returned an identity for %s in %s that is not of its schema: %s.", quoted(n.text), rpc, problem)
		}
	}
	return id, nil
}

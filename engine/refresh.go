package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// refresh reads the object (docs/checks.md §8). The result has a null value if the object no
// longer exists.
func (n *node) refresh(obj *states.ResourceInstanceObject) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	meta, diags := n.meta()
	if diags.HasErrors() {
		return obj, diags
	}
	resp := call(n.ctx, n.Engine, "ReadResource", n.text, n.provider.ReadResource, provider.ReadResourceRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: obj.Value, Private: obj.Private, ProviderMeta: meta,
		ClientCapabilities: capabilities, CurrentIdentity: n.identityOrNull(obj.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	if diags.HasErrors() {
		return obj, diags
	}
	id, moreDiags := n.checkIdentity(resp.Identity, "ReadResource", identityRules{unknown: "Provider produced invalid identity"})
	diags = append(diags, moreDiags...)
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return obj, diags
	}
	const summary = "Provider produced invalid object"
	v := valueOrNull(resp.NewState, n.schema.ty)
	if n.terraform() && !v.IsWhollyKnown() {
		return obj, append(diags, n.providerErrorf(summary, "returned an unknown value in %s from a read.", quoted(n.text))...)
	}
	if problem := typeProblem(v, n.schema.ty); problem != "" {
		return obj, append(diags, n.providerErrorf(summary, "returned a value for %s that is not of its type: %s.", quoted(n.text), problem)...)
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

// identityOrNull returns id, or null of the identity type if id is cty.NilVal and there is such a
// type.
func (n *node) identityOrNull(id cty.Value) cty.Value {
	if id == cty.NilVal && n.schema.identity != cty.NilType {
		return cty.NullVal(n.schema.identity)
	}
	return id
}

// checkDeferred returns an error for a deferred response that has not failed. The engine
// never permits deferrals. OpenTofu does not check this.
func (n *node) checkDeferred(d *provider.Deferred, failed bool) tfdiags.Diagnostics {
	if d == nil || failed || !n.terraform() {
		return nil
	}
	return n.providerErrorf("Provider deferred changes when Terraform did not allow deferrals", "deferred its response for %s, which this client does not permit.", quoted(n.text))
}

// identityRules configure the check of an identity in a response.
type identityRules struct {
	// unknown is the summary of the error for unknown values, or "" if they are
	// permitted.
	unknown string
	// missing is the summary of the error if the type has no identity schema.
	missing string
}

// checkIdentity checks the identity of a response as Terraform does. OpenTofu stores it
// unchecked if possible. It returns the identity, or cty.NilVal if there is none to store.
func (n *node) checkIdentity(id cty.Value, rpc string, rules identityRules) (cty.Value, tfdiags.Diagnostics) {
	if id == cty.NilVal || id.IsNull() {
		return cty.NilVal, nil
	}
	if n.schema.identity == cty.NilType {
		if !n.terraform() {
			return cty.NilVal, nil
		}
		summary := cmp.Or(rules.missing, "Provider produced an identity without a schema")
		return cty.NilVal, n.providerErrorf(summary, "returned an identity for %s in %s, but the type %s has no identity schema.", quoted(n.text), rpc, n.addr.Resource.Resource.Type)
	}
	if rules.unknown != "" && n.terraform() && !id.IsWhollyKnown() {
		return cty.NilVal, n.providerErrorf(rules.unknown, "returned an identity with unknown values for %s in %s.", quoted(n.text), rpc)
	}
	if n.terraform() {
		if problem := typeProblem(id, n.schema.identity); problem != "" {
			return cty.NilVal, n.providerErrorf("Provider produced an identity that doesn't match the schema", "returned an identity for %s in %s that does not match its schema: %s.", quoted(n.text), rpc, problem)
		}
	}
	return id, nil
}

// decode decodes a stored object with the current schema (docs/checks.md §6 and §7). It calls
// UpgradeResourceState for the current version too.
func (n *node) decode(src *states.ResourceInstanceObjectSrc) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	v, diags := n.upgradeState(src)
	if diags.HasErrors() {
		return nil, diags
	}
	id, moreDiags := n.upgradeIdentity(src)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return nil, diags
	}
	return &states.ResourceInstanceObject{
		Value: v, Identity: id, SensitivePaths: pathsIn(v, src.AttrSensitivePaths), Private: src.Private,
		Status: src.Status, Dependencies: src.Dependencies, CreateBeforeDestroy: src.CreateBeforeDestroy,
	}, diags
}

// pathsIn returns the paths that exist in v, because an upgraded object may not have
// all of them.
func pathsIn(v cty.Value, paths []cty.Path) []cty.Path {
	missing := func(path cty.Path) bool { _, err := path.Apply(v); return err != nil }
	if !slices.ContainsFunc(paths, missing) {
		return paths
	}
	return slices.DeleteFunc(slices.Clone(paths), missing)
}

// version converts a stored version to the type of requests. Versions beyond its range become
// the maximum.
func version(stored uint64) int64 {
	if stored > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(stored)
}

func (n *node) upgradeState(src *states.ResourceInstanceObjectSrc) (cty.Value, tfdiags.Diagnostics) {
	current := uint64(max(n.schema.Version, 0))
	if src.SchemaVersion > current {
		return cty.NilVal, n.errorf("Resource instance managed by newer provider version",
			"The state of %s has schema version %d, and the provider supports versions up to %d. Use the newer provider that wrote it.", n.text, src.SchemaVersion, current)
	}
	req := provider.UpgradeResourceStateRequest{TypeName: n.addr.Resource.Resource.Type, Version: version(src.SchemaVersion)}
	switch {
	case len(src.AttrsJSON) > 0:
		req.RawStateJSON = src.AttrsJSON
		if src.SchemaVersion == current {
			req.RawStateJSON = n.schema.withoutUnknownAttributes(src.AttrsJSON, n.terraform())
		}
	default:
		req.RawStateFlatmap = src.AttrsFlat
	}
	resp := call(n.ctx, n.Engine, "UpgradeResourceState", n.text, n.provider.UpgradeResourceState, req)
	diags := n.providerDiags(resp.Diagnostics)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	v := valueOrNull(resp.UpgradedState, n.schema.ty)
	summary := "Invalid resource state transformation"
	if n.terraform() {
		summary = "Invalid resource state upgrade"
		if !v.IsWhollyKnown() {
			return cty.NilVal, append(diags, n.errorf(summary, "The %s provider upgraded the state of %s to a value with unknown parts.%s", n.provider.addr.Provider, n.text, providerBug)...)
		}
	} else {
		v = cty.UnknownAsNull(v)
	}
	if problem := typeProblem(v, n.schema.ty); problem != "" {
		return cty.NilVal, append(diags, n.errorf(summary, "The %s provider upgraded the state of %s to a value that is not of its type: %s.%s", n.provider.addr.Provider, n.text, problem, providerBug)...)
	}
	diags = append(diags, n.checkWriteOnly(v, summary)...)
	return v, diags
}

func (n *node) upgradeIdentity(src *states.ResourceInstanceObjectSrc) (cty.Value, tfdiags.Diagnostics) {
	ty := n.schema.identity
	current := uint64(max(n.schema.IdentityVersion, 0))
	stored := src.IdentitySchemaVersion
	if len(src.IdentityJSON) > 0 || n.terraform() {
		if stored > current {
			summary := "Resource identity managed by newer provider version"
			if n.terraform() {
				summary = "Resource instance managed by newer provider version"
			}
			return cty.NilVal, n.errorf(summary, "The identity of %s was written by a newer version of the provider: its schema version is %d, and the provider's schema has version %d.", n.text, stored, current)
		}
	}
	if ty == cty.NilType {
		return cty.NilVal, nil
	}
	if stored == current || (len(src.IdentityJSON) == 0 && !n.terraform()) {
		if len(src.IdentityJSON) == 0 {
			return cty.NilVal, nil
		}
		v, err := ctyjson.Unmarshal(src.IdentityJSON, ty)
		if err != nil {
			return cty.NilVal, n.errorf("Invalid resource identity", "Cannot decode the stored identity of %s: %s.", n.text, errorText(err))
		}
		return v, nil
	}
	resp := call(n.ctx, n.Engine, "UpgradeResourceIdentity", n.text, n.provider.UpgradeResourceIdentity, provider.UpgradeResourceIdentityRequest{
		TypeName: n.addr.Resource.Resource.Type, Version: version(stored), RawIdentityJSON: src.IdentityJSON,
	})
	diags := n.providerDiags(resp.Diagnostics)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	v := resp.UpgradedIdentity
	if v == cty.NilVal || v.IsNull() {
		if !n.terraform() {
			return cty.NilVal, append(diags, n.errorf("Provider returned no identity after upgrade", "The provider returned no identity for %s after upgrading it.%s", n.text, providerBug)...)
		}
		return cty.NilVal, diags
	}
	if !v.IsWhollyKnown() {
		return cty.NilVal, append(diags, n.errorf("Invalid resource identity upgrade", "The provider upgraded the identity of %s, but the result has unknown values.%s", n.text, providerBug)...)
	}
	if problem := typeProblem(v, ty); problem != "" {
		return cty.NilVal, append(diags, n.errorf("Invalid resource identity upgrade", "The provider upgraded the identity of %s, but the result does not match its schema: %s.%s", n.text, problem, providerBug)...)
	}
	return v, diags
}

// withoutUnknownAttributes removes from a stored object of the current version the attributes
// that the type does not have, as core does before it calls the provider. If exact is set,
// numbers keep their precision, as in Terraform.
func (t *typeSchema) withoutUnknownAttributes(src []byte, exact bool) []byte {
	if _, err := t.codec.DecodeJSON(src); err == nil {
		return src
	}
	d := json.NewDecoder(bytes.NewReader(src))
	if exact {
		d.UseNumber()
	}
	var raw any
	if err := d.Decode(&raw); err != nil {
		return src
	}
	dropUnknown(raw, t.ty)
	out, err := json.Marshal(raw)
	if err != nil {
		return src
	}
	return out
}

func dropUnknown(raw any, ty cty.Type) {
	switch raw := raw.(type) {
	case map[string]any:
		for name, v := range raw {
			switch {
			case ty.IsObjectType() && !ty.HasAttribute(name):
				delete(raw, name)
			case ty.IsObjectType():
				dropUnknown(v, ty.AttributeType(name))
			case ty.IsMapType():
				dropUnknown(v, ty.ElementType())
			}
		}
	case []any:
		for i, v := range raw {
			switch {
			case ty.IsListType() || ty.IsSetType():
				dropUnknown(v, ty.ElementType())
			case ty.IsTupleType() && i < ty.Length():
				dropUnknown(v, ty.TupleElementType(i))
			}
		}
	}
}

// normalized returns an object that was read, as if a provider that is not built on SDKv2
// had returned it. Terraform does this only if the schema has no nested attributes.
func (n *node) normalized(v cty.Value) cty.Value {
	if len(n.schema.Body.BlockTypes) == 0 || n.terraform() && beyondSDK(n.schema.Body) { // without blocks nothing would change
		return v
	}
	return objchange.NormalizeObjectFromLegacySDK(v, n.schema.Body)
}

// beyondSDK reports whether a schema has nested attributes, which SDKv2 does not support.
func beyondSDK(schema *configschema.Block) bool {
	for _, attr := range schema.Attributes {
		if attr.NestedType != nil {
			return true
		}
	}
	for _, nested := range schema.BlockTypes {
		if beyondSDK(&nested.Block) {
			return true
		}
	}
	return false
}

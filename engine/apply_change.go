package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// checkFinalPlan is CHECKS §10: the plan made again in the apply keeps what the first
// one promised. Providers of the legacy type system are not exempt.
func (n *node) checkFinalPlan(first, final *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	const summary = "Provider produced inconsistent final plan"
	was, is := first.Action, final.Action
	if is == plans.Create && was.IsReplace() {
		is = was // the old object is gone already
	}
	if was != is {
		switch {
		case was == plans.Update && is == plans.NoOp:
		case was.IsReplace() && is.IsReplace():
			return n.errorf(n.options.Flavor.String()+" produced inconsistent final plan", "%s was to be replaced as %s, and now as %s. This is a defect of the engine.", n.text, was, is)
		default:
			return n.blame(summary, "planned %s first and %s in the apply, with all values known, for %s.", was, is, n.text)
		}
	}
	before, _ := first.After.UnmarkDeep()
	after, _ := final.After.UnmarkDeep()
	var diags tfdiags.Diagnostics
	for _, err := range objchange.AssertObjectCompatible(n.schema.Body, before, after) {
		diags = append(diags, n.blame(summary, "planned %s again in the apply, with all values known, and did not keep to the first plan: %s.", n.text, errorText(err))...)
	}
	return diags
}

// applied is what an apply left behind: nil for nothing.
type applied struct {
	obj *states.ResourceInstanceObject
	// kept tells that the state is to stay as it was.
	kept bool
}

// applyChange is §11: the change made true, and what is to be saved. config is cty.NilVal
// for a deletion.
func (n *node) applyChange(change *plans.ResourceInstanceChange, prior *states.ResourceInstanceObject, config cty.Value, sensitive []cty.Path, deps []addrs.ConfigResource) (applied, tfdiags.Diagnostics) {
	ty := n.schema.ty
	before, _ := change.Before.UnmarkDeep()
	after, _ := change.After.UnmarkDeep()
	if change.Action == plans.NoOp { // only the sensitivity changed: the provider is not asked
		return applied{obj: prior, kept: true}, nil
	}
	if change.Action == plans.Create {
		before = cty.NullVal(ty)
	}
	bare := cty.NullVal(ty)
	if config != cty.NilVal {
		bare, _ = config.UnmarkDeep()
		if !bare.IsWhollyKnown() {
			return applied{kept: true}, n.errorf("Configuration contains unknown value", "The block of %s has values that are not known even now, while it is applied.", n.text)
		}
	}
	meta, diags := n.meta()
	if diags.HasErrors() {
		return applied{kept: true}, diags
	}
	if before.RawEquals(after) && change.Action == plans.Update { // only sensitivity differs
		out := *prior
		out.Value, out.SensitivePaths, out.Status, out.Dependencies = after, sensitive, prior.Status, deps
		out.CreateBeforeDestroy = n.block != nil && n.createFirst()
		return applied{obj: &out}, diags
	}
	resp := call(n.ctx, n.Engine, "ApplyResourceChange", n.text, n.provider.ApplyResourceChange, provider.ApplyResourceChangeRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: before, PlannedState: after, Config: bare, PlannedPrivate: change.Private,
		ProviderMeta: meta, PlannedIdentity: n.identityOrNull(change.AfterIdentity),
	})
	v, id, storable, said := n.judgeApplied(resp, before, after, change.Action == plans.Delete)
	diags = append(diags, said...)
	switch {
	case !storable && n.terraform():
		return applied{obj: prior, kept: true}, diags
	case !storable:
		return applied{}, diags
	}
	out := &states.ResourceInstanceObject{
		Value: v, SensitivePaths: sensitive, Identity: id, Private: resp.Private, Status: states.ObjectReady, Dependencies: deps,
		CreateBeforeDestroy: n.block != nil && n.createFirst(),
	}
	return saved(change.Action, prior, out, diags.HasErrors()), diags
}

// judgeApplied is §11.1: the object of an answer, and whether it can be saved at all.
func (n *node) judgeApplied(resp provider.ApplyResourceChangeResponse, before, after cty.Value, deleting bool) (v, id cty.Value, storable bool, diags tfdiags.Diagnostics) {
	id, diags = n.checkIdentity(resp.NewIdentity, "ApplyResourceChange", identityRules{
		unknown: "Provider produced invalid identity", missing: "identity type not found for resource type " + n.addr.Resource.Resource.Type,
	})
	diags = append(diags, n.said(resp.Diagnostics)...)
	v = resp.NewState
	if v == cty.NilVal { // not even decodable: what was there is there, as far as anybody knows
		v = cty.NullVal(n.schema.ty)
		if !deleting || resp.Diagnostics.HasErrors() {
			v = before
		}
	}
	const invalid = "Provider produced invalid object"
	if problem := conforms(v, n.schema.ty); problem != "" {
		return v, id, false, append(diags, n.blame(invalid, "answered the apply of %s with something that is no object of its type, so that it is not in the state: %s.", n.text, problem)...)
	}
	if wo := n.checkWriteOnly(v, invalid); len(wo) > 0 {
		diags = append(diags, wo...)
		if n.terraform() {
			return v, id, false, diags
		}
	}
	if !v.IsWhollyKnown() {
		for _, path := range unknownPaths(v) {
			diags = append(diags, n.blame("Provider returned invalid result object after apply", "left %s%s unknown. "+
				"Nothing is unknown once it was applied. What is known has been saved in the state.", n.text, dotted(path))...)
		}
		v = cty.UnknownAsNull(v)
	}
	if !diags.HasErrors() {
		diags = append(diags, n.checkApplied(after, v, deleting, resp.LegacyTypeSystem)...)
	}
	return v, id, true, diags
}

// saved is §11.3: what is kept of an answer.
func saved(action plans.Action, prior, out *states.ResourceInstanceObject, failed bool) applied {
	switch {
	case out.Value.IsNull() && failed && prior != nil:
		return applied{obj: prior, kept: true} // what was not deleted or changed is still there
	case out.Value.IsNull():
		return applied{}
	case !failed:
	case action == plans.Create:
		out.Status = states.ObjectTainted
	case prior != nil:
		out.Status, out.Dependencies = prior.Status, prior.Dependencies
		if action == plans.Delete {
			out.CreateBeforeDestroy, out.SensitivePaths = false, nil // what was planned has neither
		}
	}
	return applied{obj: out}
}

// checkApplied is rows 8 to 10 of §11.1; each is left out once there is an error.
func (n *node) checkApplied(after, v cty.Value, deleting, legacy bool) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if !deleting && !legacy {
		for _, err := range objchange.AssertObjectCompatible(n.schema.Body, after, v) {
			diags = append(diags, n.blame("Provider produced inconsistent result after apply", "applied %s otherwise than it had planned: %s.", n.text, errorText(err))...)
		}
	}
	if diags.HasErrors() {
		return diags
	}
	const summary = "Provider returned invalid result object after apply"
	switch {
	case deleting && !v.IsNull():
		return n.blame(summary, "still has an object after the deletion of %s, where null is what says that it is gone.", n.text)
	case !deleting && v.IsNull():
		return n.blame(summary, "has no object after the apply of %s, which says that it was deleted.", n.text)
	}
	return nil
}

func unknownPaths(v cty.Value) []cty.Path {
	var out []cty.Path
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if !v.IsKnown() {
			out = append(out, path.Copy())
			return false, nil
		}
		return true, nil
	})
	return out
}

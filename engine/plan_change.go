package engine

import (
	"cmp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// planned is the result of planning one object.
type planned struct {
	change *plans.ResourceInstanceChange
	// obj is the planned object.
	obj *states.ResourceInstanceObject
	// config is the evaluated block with marks, before ignore_changes.
	config cty.Value
}

// replaceReason holds the reasons to replace an object that do not depend on the provider's
// response.
type replaceReason struct {
	forced bool
	reason plans.ActionReason
	// createFirst is create_before_destroy of the block or of a dependent block.
	createFirst bool
}

// evalConfig evaluates the block and calls the provider to validate it.
func (n *node) evalConfig() (cty.Value, tfdiags.Diagnostics) {
	v, diags := n.scope().body(n.block.Config, n.schema.Body)
	diags = diags.WithAddress(n.text)
	if diags.HasErrors() {
		return v, diags
	}
	diags = append(diags, n.refuseEphemeral(v)...)
	if diags.HasErrors() {
		return v, diags
	}
	unmarked, _ := v.UnmarkDeep()
	resp := call(n.ctx, n.Engine, "ValidateResourceConfig", n.text, n.provider.ValidateResourceConfig, provider.ValidateResourceConfigRequest{
		TypeName: n.addr.Resource.Resource.Type, Config: unmarked, ClientCapabilities: capabilities,
	})
	return v, append(diags, n.providerDiags(resp.Diagnostics)...)
}

// refuseEphemeral returns an error for each ephemeral value that would be stored.
func (n *node) refuseEphemeral(v cty.Value) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, path := range lang.MarkedPaths(v, lang.Ephemeral) {
		if attr := n.schema.Body.EnclosingAttribute(path); attr != nil && attr.WriteOnly {
			continue
		}
		diags = append(diags, tfdiags.Diagnostic{
			Address: n.text, Path: path, Summary: map[Flavor]string{
				Terraform: "Invalid use of ephemeral value", OpenTofu: "Ephemeral value used in non-ephemeral context",
			}[n.options.Flavor],
			Detail: "Ephemeral values are not valid for " + quoted(dotted(path)) + ", which is stored in the state because it is not a write-only attribute.",
		})
	}
	return diags.InBody(n.block.Config)
}

// planChange plans the change of the prior object, or a create if it is nil (docs/checks.md
// §9). With errors, the result has no change.
func (n *node) planChange(prior *states.ResourceInstanceObject, why replaceReason) (planned, tfdiags.Diagnostics) {
	var out planned
	configured, diags := n.evalConfig()
	if diags.HasErrors() {
		return out, diags
	}
	out.config = configured
	original, marks := lang.UnmarkDeepSensitivePaths(configured)
	meta, moreDiags := n.meta()
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return out, diags
	}
	from := n.planFrom(prior)
	config, kept, moreDiags := n.ignoreChanges(from.Value, original, false)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return out, diags
	}
	sensitive := ignoreMarks(from, kept, pathsOf(marks))
	name := n.addr.Resource.Resource.Type
	resp := call(n.ctx, n.Engine, "PlanResourceChange", n.text, n.provider.PlanResourceChange, provider.PlanResourceChangeRequest{
		TypeName: name, PriorState: from.Value, Config: config, ProposedNewState: objchange.ProposedNew(n.schema.Body, from.Value, config),
		PriorPrivate: from.Private, ProviderMeta: meta, ClientCapabilities: capabilities, PriorIdentity: n.identityOrNull(from.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return out, diags
	}
	after := valueOrNull(resp.PlannedState, n.schema.ty)
	if moreDiags := n.checkPlanned(from.Value, config, after, resp.LegacyTypeSystem); moreDiags.HasErrors() {
		return out, append(diags, moreDiags...)
	}
	if resp.LegacyTypeSystem {
		after, _, moreDiags = n.ignoreChanges(from.Value, after, true)
		diags = append(diags, moreDiags...)
	}
	paths, moreDiags := n.requiredReplace(from.Value, after, resp.RequiresReplace)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return out, diags
	}
	action, reason := n.action(from.Value, after, paths, why)
	secret := n.schema.Body.SensitivePaths(after, nil)
	if action == plans.NoOp && !samePaths(mergePaths(from.SensitivePaths, secret), mergePaths(sensitive, secret)) {
		action = plans.Update
	}
	rules := identityRules{unknown: "Provider produced invalid identity", missing: "unknown identity type " + name}
	if n.terraform() && (action == plans.Create || action.IsReplace()) {
		rules.unknown = ""
	}
	id, moreDiags := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", rules)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return out, diags
	}
	private := resp.PlannedPrivate

	if action.IsReplace() {
		var replacement planReplaced
		replacement, moreDiags = n.planReplacement(original, meta, private, id)
		diags = append(diags, moreDiags...)
		if diags.HasErrors() {
			return out, diags
		}
		after, private, id = replacement.after, replacement.private, replacement.identity
	}
	if exists(prior) && prior.Status == states.ObjectTainted { // planned like a create, but replaced
		from = *prior
		action, reason = plans.DeleteThenCreate, cmp.Or(reason, plans.ReplaceBecauseTainted)
		if why.createFirst {
			action = plans.CreateThenDelete
		}
	}
	out.change = &plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), Provider: n.provider.addr, Action: action, Reason: reason,
		Before:         marked(&from),
		After:          lang.MarkPaths(after, sensitive, lang.Sensitive),
		BeforeIdentity: from.Identity, AfterIdentity: id, RequiredReplace: paths, Private: private,
	}
	out.obj = &states.ResourceInstanceObject{
		Value: after, SensitivePaths: sensitive, Identity: id, Private: private, Status: states.ObjectPlanned,
		CreateBeforeDestroy: why.createFirst,
	}
	return out, diags
}

// planFrom returns the prior object of a plan, or null if there is none or it is
// tainted. For an object that no longer exists, it keeps the identity and the private data.
func (n *node) planFrom(prior *states.ResourceInstanceObject) states.ResourceInstanceObject {
	if prior == nil || prior.Status == states.ObjectTainted {
		return states.ResourceInstanceObject{Value: cty.NullVal(n.schema.ty), Identity: cty.NilVal}
	}
	if !exists(prior) {
		return states.ResourceInstanceObject{Value: prior.Value, Identity: prior.Identity, Private: prior.Private}
	}
	return *prior
}

// checkPlanned does the checks in rows 3 to 5 of docs/checks.md §9.2.
func (n *node) checkPlanned(prior, config, after cty.Value, legacy bool) tfdiags.Diagnostics {
	const summary = "Provider produced invalid plan"
	if d := n.checkWriteOnly(after, summary); len(d) > 0 {
		return d
	}
	if problem := typeProblem(after, n.schema.ty); problem != "" {
		return n.providerErrorf(summary, "planned a value for %s that is not of its type: %s.", n.text, problem)
	}
	var diags tfdiags.Diagnostics
	if !n.terraform() {
		for _, path := range objchange.NullElements(n.schema.Body, prior, config, after) {
			diags = append(diags, n.providerErrorf(summary, "planned a null element of a nested attribute for %s at %s, or the configuration has one there. "+
				"OpenTofu expects an object at this path, and exits without a message.", n.text, dotted(path))...)
		}
	}
	if legacy {
		return diags
	}
	for _, err := range objchange.AssertPlanValidWithNullBlocks(n.schema.Body, prior, config, after) {
		diags = append(diags, n.providerErrorf(summary, "planned an invalid object for %s.", n.withPath(err))...)
	}
	return diags
}

// planReplaced is the plan of the create half of a replacement.
type planReplaced struct {
	after    cty.Value
	private  []byte
	identity cty.Value
}

// planReplacement plans the create half of a replacement, from the configuration before
// ignore_changes (docs/checks.md §9.5). AssertPlanValid is not applied.
func (n *node) planReplacement(config, meta cty.Value, private []byte, id cty.Value) (planReplaced, tfdiags.Diagnostics) {
	const summary = "Provider produced invalid plan"
	var out planReplaced
	nothing := cty.NullVal(n.schema.ty)
	req := provider.PlanResourceChangeRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: nothing, Config: config, ProposedNewState: objchange.ProposedNew(n.schema.Body, nothing, config),
		PriorPrivate: private, ProviderMeta: meta, ClientCapabilities: capabilities, PriorIdentity: n.identityOrNull(cty.NilVal),
	}
	if n.terraform() {
		req.PriorIdentity = n.identityOrNull(id)
	}
	resp := call(n.ctx, n.Engine, "PlanResourceChange", n.text, n.provider.PlanResourceChange, req)
	diags := n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())
	if diags.HasErrors() {
		return out, diags
	}
	if _, moreDiags := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", identityRules{}); moreDiags.HasErrors() {
		return out, moreDiags
	}
	if resp.Diagnostics.HasErrors() { // without errors, its warnings are dropped
		return out, n.providerDiags(resp.Diagnostics)
	}
	out = planReplaced{after: valueOrNull(resp.PlannedState, n.schema.ty), private: resp.PlannedPrivate, identity: cty.NilVal}
	if resp.PlannedIdentity != cty.NilVal && !resp.PlannedIdentity.IsNull() && n.schema.identity != cty.NilType {
		out.identity = resp.PlannedIdentity
	}
	if problem := typeProblem(out.after, n.schema.ty); problem != "" {
		return out, n.providerErrorf(summary, "planned a value for %s that is not of its type: %s.", n.text, problem)
	}
	return out, n.checkWriteOnly(out.after, summary)
}

// planDestroy plans a deletion (docs/checks.md §9.6). It returns nil if there are errors.
func (n *node) planDestroy(obj *states.ResourceInstanceObject, deposed states.DeposedKey, reason plans.ActionReason) (*plans.ResourceInstanceChange, tfdiags.Diagnostics) {
	ty := n.schema.ty
	change := &plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), DeposedKey: deposed, Provider: n.provider.addr, Action: plans.Delete, Reason: reason,
		Before: marked(obj), After: cty.NullVal(ty),
		BeforeIdentity: obj.Identity, AfterIdentity: cty.NilVal, Private: obj.Private,
	}
	if !n.provider.schema.response.ServerCapabilities.PlanDestroy {
		return change, nil
	}
	meta, diags := n.meta()
	if diags.HasErrors() {
		return nil, diags
	}
	resp := call(n.ctx, n.Engine, "PlanResourceChange", n.text, n.provider.PlanResourceChange, provider.PlanResourceChangeRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: obj.Value, Config: cty.NullVal(ty), ProposedNewState: cty.NullVal(ty),
		PriorPrivate: obj.Private, ProviderMeta: meta, ClientCapabilities: capabilities, PriorIdentity: n.identityOrNull(obj.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	id, moreDiags := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", identityRules{unknown: "Provider produced invalid identity"})
	diags = append(diags, moreDiags...)
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return nil, diags
	}
	if after := valueOrNull(resp.PlannedState, ty); !after.IsNull() {
		return nil, append(diags, n.providerErrorf("Provider produced invalid plan", "planned an object for %s, which will be destroyed: the provider must plan null.", n.text)...)
	}
	change.Private, change.AfterIdentity = resp.PlannedPrivate, id
	return change, diags
}

// previousAddr returns the object's address in the previous run.
func (n *node) previousAddr() addrs.AbsResourceInstance {
	if was, moved := n.moves[n.text]; moved {
		return was
	}
	return n.addr
}

func pathsOf(marks []cty.PathValueMarks) []cty.Path {
	var out []cty.Path
	for _, m := range marks {
		out = append(out, m.Path)
	}
	return out
}

// mergePaths returns the union of both lists.
func mergePaths(a, b []cty.Path) []cty.Path {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	set := cty.NewPathSet(a...)
	out := slices.Clone(a)
	for _, path := range b {
		if !set.Has(path) {
			out = append(out, path)
		}
	}
	return out
}

// samePaths reports whether both lists have the same paths, in any order.
func samePaths(a, b []cty.Path) bool {
	set := cty.NewPathSet(a...)
	return len(a) == len(b) && !slices.ContainsFunc(b, func(path cty.Path) bool { return !set.Has(path) })
}

// requiredReplace returns the paths of the response that require replacement: paths whose
// values change, and paths of write-only attributes (docs/checks.md §9.4). A path that is in
// neither object is an error.
func (n *node) requiredReplace(prior, after cty.Value, asked []cty.Path) ([]cty.Path, tfdiags.Diagnostics) {
	if prior.IsNull() {
		return nil, nil
	}
	var (
		out   []cty.Path
		diags tfdiags.Diagnostics
	)
	for _, path := range asked {
		was, priorErr := path.Apply(prior)
		is, afterErr := path.Apply(after)
		if priorErr != nil && afterErr != nil {
			diags = append(diags, n.providerErrorf("Provider produced invalid plan", "requires the replacement of %s because of %s, which is neither in the prior nor in the planned object.", n.text, dotted(path))...)
			continue
		}
		if attr := n.schema.Body.EnclosingAttribute(path); attr != nil && attr.WriteOnly {
			out = append(out, path)
			continue
		}
		if priorErr != nil {
			was = cty.UnknownVal(is.Type())
		}
		if afterErr != nil {
			is = cty.UnknownVal(was.Type())
		}
		if same := was.Equals(is); !same.IsKnown() || same.False() {
			out = append(out, path)
		}
	}
	return out, diags
}

// action returns the action that follows from both objects and the reasons for a
// replacement.
func (n *node) action(prior, after cty.Value, replace []cty.Path, why replaceReason) (plans.Action, plans.ActionReason) {
	replacing := plans.DeleteThenCreate
	if why.createFirst {
		replacing = plans.CreateThenDelete
	}
	switch {
	case prior.IsNull() && why.reason == plans.ReplaceByTriggers: // the only reason that a create has
		return plans.Create, why.reason
	case prior.IsNull():
		return plans.Create, plans.NoReason
	case why.forced:
		return replacing, why.reason
	case len(replace) > 0:
		return replacing, plans.ReplaceBecauseCannotUpdate
	}
	if same := prior.Equals(after); same.IsKnown() && same.True() {
		return plans.NoOp, plans.NoReason
	}
	return plans.Update, plans.NoReason
}

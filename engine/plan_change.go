package engine

import (
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

// planned is what came of planning one object.
type planned struct {
	change *plans.ResourceInstanceChange
	// obj stands in for the object until it is applied.
	obj *states.ResourceInstanceObject
	// config is what the block says, with marks, before ignore_changes.
	config cty.Value
}

// replaceWhy is why an object is to be replaced whatever the provider says.
type replaceWhy struct {
	forced bool
	reason plans.ActionReason
	// createFirst is create_before_destroy, of the block or because of what needs
	// it.
	createFirst bool
}

// evalConfig is what the block says, validated by the provider.
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
	bare, _ := v.UnmarkDeep()
	resp := call(n.ctx, n.Engine, "ValidateResourceConfig", n.text, n.provider.ValidateResourceConfig, provider.ValidateResourceConfigRequest{
		TypeName: n.addr.Resource.Resource.Type, Config: bare, ClientCapabilities: offered,
	})
	return v, append(diags, n.said(resp.Diagnostics)...)
}

// refuseEphemeral is an error for each ephemeral value that would be stored.
func (n *node) refuseEphemeral(v cty.Value) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, path := range lang.MarkedPaths(v, lang.Ephemeral) {
		if attr := n.schema.Body.AttributeByPath(path); attr != nil && attr.WriteOnly {
			continue
		}
		diags = append(diags, tfdiags.Diagnostic{
			Address: n.text, Path: path, Summary: map[Flavor]string{
				Terraform: "Invalid use of ephemeral value", OpenTofu: "Ephemeral value used in non-ephemeral context",
			}[n.options.Flavor],
			Detail: "Ephemeral values are not valid for " + quoted(dotted(path)) + ", because it is not a write-only attribute and must be persisted to state.",
		})
	}
	return diags.InBody(n.block.Config)
}

// planChange is CHECKS §9: what becomes of the prior object, nil for none.
func (n *node) planChange(prior *states.ResourceInstanceObject, why replaceWhy) (planned, tfdiags.Diagnostics) {
	var out planned
	configured, diags := n.evalConfig()
	if diags.HasErrors() {
		return out, diags
	}
	out.config = configured
	original, sensitive := unmarkForProvider(configured)
	meta, said := n.meta()
	diags = append(diags, said...)
	if diags.HasErrors() {
		return out, diags
	}
	from := n.planFrom(prior)
	config, said := n.ignoreChanges(from.Value, original, false)
	diags = append(diags, said...)
	if diags.HasErrors() {
		return out, diags
	}
	name := n.addr.Resource.Resource.Type
	resp := call(n.ctx, n.Engine, "PlanResourceChange", n.text, n.provider.PlanResourceChange, provider.PlanResourceChangeRequest{
		TypeName: name, PriorState: from.Value, Config: config, ProposedNewState: objchange.ProposedNew(n.schema.Body, from.Value, config),
		PriorPrivate: from.Private, ProviderMeta: meta, ClientCapabilities: offered, PriorIdentity: n.identityOrNull(from.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	diags = append(diags, n.said(resp.Diagnostics)...)
	if diags.HasErrors() {
		return out, diags
	}
	after := null(resp.PlannedState, n.schema.ty)
	if said := n.checkPlanned(from.Value, config, after, resp.LegacyTypeSystem); said.HasErrors() {
		return out, append(diags, said...)
	}
	if resp.LegacyTypeSystem {
		after, said = n.ignoreChanges(from.Value, after, true)
		diags = append(diags, said...)
	}
	paths, said := n.requiredReplace(from.Value, after, resp.RequiresReplace)
	diags = append(diags, said...)
	if diags.HasErrors() {
		return out, diags
	}
	action, reason := n.action(from.Value, after, paths, why)
	secret := lang.SensitivePaths(n.schema.Body, after)
	if action == plans.NoOp && !samePaths(mergePaths(from.SensitivePaths, secret), mergePaths(pathsOf(sensitive), secret)) {
		action = plans.Update
	}
	rules := identityRules{unknown: "Provider produced invalid identity", missing: "unknown identity type " + name}
	if n.terraform() && (action == plans.Create || action.IsReplace()) {
		rules.unknown = ""
	}
	id, said := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", rules)
	diags = append(diags, said...)
	if diags.HasErrors() {
		return out, diags
	}
	private := resp.PlannedPrivate

	if action.IsReplace() {
		var replacement planReplaced
		replacement, said = n.planReplacement(original, meta, private, id)
		diags = append(diags, said...)
		if diags.HasErrors() {
			return out, diags
		}
		after, private, id = replacement.after, replacement.private, replacement.identity
	}
	if prior != nil && prior.Status == states.ObjectTainted { // planned like a create, and replaced all the same
		from = *prior
		action, reason = plans.DeleteThenCreate, plans.ReplaceBecauseTainted
		if why.createFirst {
			action = plans.CreateThenDelete
		}
	}
	out.change = &plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), Provider: n.provider.addr, Action: action, Reason: reason,
		Before:         marked(&from),
		After:          lang.MarkPaths(after, pathsOf(sensitive), lang.Sensitive),
		BeforeIdentity: from.Identity, AfterIdentity: id, RequiredReplace: paths, Private: private,
	}
	out.obj = &states.ResourceInstanceObject{
		Value: after, SensitivePaths: pathsOf(sensitive), Identity: id, Private: private, Status: states.ObjectPlanned,
		CreateBeforeDestroy: why.createFirst,
	}
	return out, diags
}

// planFrom is what a plan begins with: the prior object, or nothing where there is
// none or only a tainted one.
func (n *node) planFrom(prior *states.ResourceInstanceObject) states.ResourceInstanceObject {
	if prior == nil || prior.Status == states.ObjectTainted {
		return states.ResourceInstanceObject{Value: cty.NullVal(n.schema.ty), Identity: cty.NilVal}
	}
	return *prior
}

// checkPlanned is rows 3 to 5 of §9.2.
func (n *node) checkPlanned(prior, config, after cty.Value, legacy bool) tfdiags.Diagnostics {
	const summary = "Provider produced invalid plan"
	if d := n.checkWriteOnly(after, summary); len(d) > 0 {
		return d
	}
	if problem := conforms(after, n.schema.ty); problem != "" {
		return n.blame(summary, "planned something for %s that is no object of its type: %s.", n.text, problem)
	}
	if legacy {
		return nil
	}
	var diags tfdiags.Diagnostics
	for _, err := range objchange.AssertPlanValid(n.schema.Body, prior, config, after) {
		diags = append(diags, n.blame(summary, "planned what may not be planned for %s%s.", n.text, errorText(err))...)
	}
	return diags
}

// planReplaced is the create half of a replacement.
type planReplaced struct {
	after    cty.Value
	private  []byte
	identity cty.Value
}

// planReplacement is §9.5: the plan of the create half, from the configuration
// before ignore_changes. AssertPlanValid is not asked.
func (n *node) planReplacement(config, meta cty.Value, private []byte, id cty.Value) (planReplaced, tfdiags.Diagnostics) {
	const summary = "Provider produced invalid plan"
	var out planReplaced
	nothing := cty.NullVal(n.schema.ty)
	req := provider.PlanResourceChangeRequest{
		TypeName: n.addr.Resource.Resource.Type, PriorState: nothing, Config: config, ProposedNewState: objchange.ProposedNew(n.schema.Body, nothing, config),
		PriorPrivate: private, ProviderMeta: meta, ClientCapabilities: offered, PriorIdentity: n.identityOrNull(cty.NilVal),
	}
	if n.terraform() {
		req.PriorIdentity = n.identityOrNull(id)
	}
	resp := call(n.ctx, n.Engine, "PlanResourceChange", n.text, n.provider.PlanResourceChange, req)
	diags := n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())
	if diags.HasErrors() {
		return out, diags
	}
	if _, said := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", identityRules{}); said.HasErrors() {
		return out, said
	}
	if resp.Diagnostics.HasErrors() { // without errors its warnings are dropped
		return out, n.said(resp.Diagnostics)
	}
	out = planReplaced{after: null(resp.PlannedState, n.schema.ty), private: resp.PlannedPrivate, identity: cty.NilVal}
	if resp.PlannedIdentity != cty.NilVal && !resp.PlannedIdentity.IsNull() && n.schema.identity != cty.NilType {
		out.identity = resp.PlannedIdentity
	}
	if problem := conforms(out.after, n.schema.ty); problem != "" {
		return out, n.blame(summary, "planned something for %s that is no object of its type: %s.", n.text, problem)
	}
	return out, n.checkWriteOnly(out.after, summary)
}

// planDestroy is §9.6: what a deletion looks like.
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
		PriorPrivate: obj.Private, ProviderMeta: meta, ClientCapabilities: offered, PriorIdentity: n.identityOrNull(obj.Identity),
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	id, said := n.checkIdentity(resp.PlannedIdentity, "PlanResourceChange", identityRules{unknown: "Provider produced invalid identity"})
	diags = append(diags, said...)
	diags = append(diags, n.said(resp.Diagnostics)...)
	if diags.HasErrors() {
		return nil, diags
	}
	if after := null(resp.PlannedState, ty); !after.IsNull() {
		return nil, append(diags, n.blame("Provider produced invalid plan", "planned an object for %s, which is to be destroyed, where null says that it will be gone.", n.text)...)
	}
	change.Private, change.AfterIdentity = resp.PlannedPrivate, id
	return change, diags
}

// previousAddr is where the object was in the previous run.
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

// mergePaths has the paths of both, each once.
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

// samePaths reports whether both name the same places, in any order.
func samePaths(a, b []cty.Path) bool {
	if len(a) != len(b) {
		return false
	}
	set := cty.NewPathSet(a...)
	for _, path := range b {
		if !set.Has(path) {
			return false
		}
	}
	return true
}

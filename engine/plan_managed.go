package engine

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// planManaged plans one instance: it imports or reads the object, and plans the change.
func (n *node) planManaged() tfdiags.Diagnostics {
	if n.importing() && n.importFor(n.addr) == nil {
		_, diags := n.upgradeStored()
		return diags
	}
	obj, importing, diags := n.importOrRefresh()
	if diags.HasErrors() {
		return diags
	}
	if n.opts.Mode == plans.RefreshOnlyMode || n.importing() {
		return append(diags, n.recordUnchanged(obj)...)
	}
	why, moreDiags := n.replaceReason()
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return diags
	}
	diags = append(diags, n.preconditions()...)
	if diags.HasErrors() {
		return diags
	}
	p, moreDiags := n.planChange(obj, why)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return diags
	}
	p.change.Importing = importing
	n.changes.add(p.change)
	if p.change.Action == plans.NoOp && !slices.EqualFunc(obj.Dependencies, n.dependencies(), addrs.ConfigResource.Equal) {
		kept := *obj // the apply does not store the dependencies of an unchanged object
		kept.Dependencies = n.dependencies()
		if moreDiags := n.save(n.state, &kept); moreDiags.HasErrors() {
			return append(diags, moreDiags...)
		}
	}
	if moreDiags := n.checkStorable(p.obj); moreDiags.HasErrors() {
		return append(diags, moreDiags...)
	}
	diags = append(diags, n.checkPreventDestroy(p.change.Action.IsReplace())...)
	if diags.HasErrors() {
		return diags
	}
	value := n.visible(p.obj.Value, p.obj.SensitivePaths)
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

// checkStorable returns an error for an unknown identity: OpenTofu checks the identity only
// when it stores the object.
func (n *node) checkStorable(obj *states.ResourceInstanceObject) tfdiags.Diagnostics {
	if n.terraform() || obj.Identity == cty.NilVal || obj.Identity.IsWhollyKnown() {
		return nil
	}
	return n.errorf("failed to encode "+n.text+" in state", "The provider returned an identity with unknown values, which cannot be stored.")
}

// importOrRefresh imports the object, or refreshes the stored one, and stores the result. It
// returns nil if there is no object. The import is nil if the object was refreshed.
func (n *node) importOrRefresh() (*states.ResourceInstanceObject, *plans.Importing, tfdiags.Diagnostics) {
	if p := n.importFor(n.addr); p != nil {
		obj, importing, diags := n.importObject(p)
		if diags.HasErrors() || obj == nil {
			return nil, nil, diags
		}
		if !n.terraform() && n.block != nil {
			// OpenTofu stores an imported object with the sensitive paths of the
			// configuration; Terraform plans an update that adds them.
			configured, _ := n.scope().body(n.block.Config, n.schema.Body) // errors are reported by the plan
			_, marks := lang.UnmarkDeepSensitivePaths(configured)
			obj.SensitivePaths = pathsIn(obj.Value, pathsOf(marks))
		}
		diags = append(diags, n.save(n.state, obj)...)
		// create_before_destroy is stored with the next change, as in OpenTofu.
		obj.CreateBeforeDestroy = n.block != nil && n.createFirst()
		return obj, importing, diags
	}
	obj, diags := n.refreshStored()
	return obj, nil, diags
}

// refreshStored upgrades the object of the previous run, refreshes it unless SkipRefresh is set, and
// stores the result, which has a null value if the object no longer exists. It returns nil if the state
// has no object. A change found by the refresh is recorded as drift.
func (n *node) refreshStored() (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	obj, diags := n.current()
	if diags.HasErrors() || obj == nil {
		return nil, diags
	}
	before := obj
	if !n.opts.SkipRefresh {
		var moreDiags tfdiags.Diagnostics
		obj, moreDiags = n.refresh(obj)
		diags = append(diags, moreDiags...)
		if diags.HasErrors() {
			return nil, diags
		}
		n.recordDrift(before, obj)
	}
	if n.block != nil && !obj.Value.IsNull() {
		kept := *obj
		if !n.opts.SkipRefresh { // as in core, only a refresh adds the dependencies of the configuration
			kept.Dependencies = mergeDependencies(obj.Dependencies, n.dependencies())
		}
		kept.CreateBeforeDestroy = n.createFirst()
		obj = &kept
	}
	return obj, append(diags, n.save(n.state, obj)...)
}

// exists reports whether an object was found when it was read.
func exists(obj *states.ResourceInstanceObject) bool { return obj != nil && !obj.Value.IsNull() }

// recordDrift records a change found by a refresh, or a no-op for an unchanged object that moved.
func (n *node) recordDrift(before, now *states.ResourceInstanceObject) {
	if before.Value.RawEquals(now.Value) && !n.movedHere() {
		return
	}
	action, identity := plans.Update, now.Identity
	switch {
	case now.Value.IsNull():
		action, identity = plans.Delete, cty.NilVal
	case before.Value.RawEquals(now.Value):
		action = plans.NoOp
	}
	n.drift.add(&plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), Provider: n.provider.addr, Action: action,
		Before: marked(before), After: marked(now),
		BeforeIdentity: before.Identity, AfterIdentity: identity,
	})
}

func (n *node) movedHere() bool { _, moved := n.moves[n.text]; return moved }

// recordUnchanged records an object that is read and not changed, and returns the diagnostics of its
// conditions. The import command does not evaluate the conditions of the imported object.
func (n *node) recordUnchanged(obj *states.ResourceInstanceObject) tfdiags.Diagnostics {
	value := n.unknownValue()
	if exists(obj) {
		value = n.visible(obj.Value, obj.SensitivePaths)
	}
	if n.importing() && n.importFor(n.addr) != nil {
		n.objects.set(n.addr, value)
		return nil
	}
	diags := n.preconditions()
	if exists(obj) || n.importing() {
		n.objects.set(n.addr, value)
	}
	return append(diags, n.postconditions(value)...)
}

// unknownValue returns the value of an object that does not exist yet.
func (n *node) unknownValue() cty.Value {
	return cty.UnknownVal(n.schema.ty)
}

// checkPreventDestroy evaluates prevent_destroy of the block. It returns an error if the value
// is not a boolean, or is sensitive or ephemeral. If the change destroys the object, a value that is true,
// null or unknown is an error too.
func (n *node) checkPreventDestroy(destroys bool) tfdiags.Diagnostics {
	expr := n.block.Managed.PreventDestroy
	if expr == nil {
		return nil
	}
	for _, ref := range refsInExpr(expr).refs {
		switch ref.Subject.(type) {
		case lang.CountAttr, lang.EachAttr:
			return errorAt(ref.Range, "Invalid reference in prevent_destroy", "prevent_destroy cannot refer to "+ref.Subject.String()+", because prevent_destroy also applies to instances that no longer exist.")
		}
	}
	v, diags := n.walk.scope(n.addr.Module, n.config).expr(expr, cty.DynamicPseudoType)
	if diags.HasErrors() {
		return diags
	}
	invalid := func(why string) tfdiags.Diagnostics {
		return append(diags, errorAt(expr.Range(), "Invalid value for prevent_destroy", "The value for "+n.text+" "+why).ForAddress(n.text)...)
	}
	v, err := convert.Convert(v, cty.Bool)
	switch {
	case err != nil:
		return invalid("must be true or false: " + err.Error() + ".")
	case lang.Carries(v, lang.Sensitive):
		return invalid("is sensitive, and the plan would show it.")
	case lang.Carries(v, lang.Ephemeral):
		return invalid("is ephemeral, so it may differ in the apply.")
	case !destroys:
		return diags
	case !v.IsKnown():
		return invalid("is known only after apply, or was set in a module instance that no longer exists. Apply what it depends on first, as targets, or use a constant.")
	case v.IsNull():
		return invalid("is null. Use false instead.")
	case v.True():
		return append(diags, n.preventDestroy()...)
	}
	return diags
}

func (n *node) preventDestroy() tfdiags.Diagnostics {
	summary := "Resource instance cannot be destroyed"
	if n.terraform() {
		summary = "Instance cannot be destroyed"
	}
	d := n.errorf(summary, "The plan destroys %s, whose lifecycle has prevent_destroy = true. Change the configuration so that it is not destroyed, remove prevent_destroy, or plan other targets.", n.text)
	d[0].Subject = &n.block.DeclRange
	return d
}

func (n *node) preconditions() tfdiags.Diagnostics {
	if n.block == nil || len(n.block.Preconditions) == 0 {
		return nil
	}
	return n.scope().conditions(n.conditionContext("Resource precondition failed"), n.block.Preconditions)
}

func (n *node) postconditions(self cty.Value) tfdiags.Diagnostics {
	if n.block == nil || len(n.block.Postconditions) == 0 {
		return nil
	}
	return n.scope().withSelf(self, n.block).conditions(n.conditionContext("Resource postcondition failed"), n.block.Postconditions)
}

func (n *node) conditionContext(summary string) conditionContext {
	return conditionContext{
		kind: kindResource, object: n.addr.ConfigResource().String(), instance: n.text, summary: summary, where: n.block.DeclRange,
		strict: n.terraform() && n.addr.Resource.Resource.Mode == addrs.EphemeralResourceMode,
	}
}

// replaceReason returns the reasons to replace the object other than those of the provider.
func (n *node) replaceReason() (replaceReason, tfdiags.Diagnostics) {
	why := replaceReason{createFirst: n.createFirst()}
	for _, addr := range n.opts.ForceReplace {
		if addr.Equal(n.addr) {
			why.forced, why.reason = true, plans.ReplaceByRequest
		}
	}
	if n.op != planning {
		return why, nil
	}
	var diags tfdiags.Diagnostics
	for _, expr := range n.block.Managed.ReplaceTriggeredBy {
		triggered, moreDiags := n.scope().triggered(expr)
		diags = append(diags, moreDiags...)
		if !triggered || diags.HasErrors() {
			continue
		}
		why.forced, why.reason = true, plans.ReplaceByTriggers
		break // the others are not evaluated
	}
	return why, diags
}

// importing reports whether the run only imports.
func (w *walk) importing() bool { return len(w.opts.Imports) > 0 }

// upgradeStored upgrades the stored object and evaluates its conditions. An import command does
// only this with the objects that it does not import.
func (n *node) upgradeStored() (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	obj, diags := n.current()
	if diags.HasErrors() {
		return nil, diags
	}
	if obj != nil {
		diags = append(diags, n.save(n.state, obj)...)
	}
	return obj, append(diags, n.recordUnchanged(obj)...)
}

// showStored makes the stored value of the instance visible to expressions.
func (n *node) showStored() {
	if obj := n.storedObject(); obj != nil {
		n.objects.set(n.addr, n.visible(obj.Value, obj.SensitivePaths))
	}
}

// storedObject returns the object in the working state, which has the current schema, or nil.
func (n *node) storedObject() *states.ResourceInstanceObject {
	src := n.state.ResourceInstanceObject(n.addr, states.CurrentGen)
	if src == nil {
		return nil
	}
	obj, err := src.Decode(n.schema.ty, n.schema.identity)
	if err != nil {
		return nil
	}
	return obj
}

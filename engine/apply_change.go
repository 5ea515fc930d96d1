package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// checkFinalPlan checks that the plan made during the apply agrees with the first plan
// (docs/checks.md §10). Providers of the legacy type system are not exempt.
func (n *node) checkFinalPlan(first, final *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	const summary = "Provider produced inconsistent final plan"
	was, is := first.Action, final.Action
	if is == plans.Create && was.IsReplace() {
		is = was // the old object is already deleted or deposed
	}
	if was != is {
		switch {
		case was == plans.Update && is == plans.NoOp:
		case was.IsReplace() && is.IsReplace():
			return n.errorf(n.options.Flavor.String()+" produced inconsistent final plan", "%s was planned to be replaced as %s, and is now planned as %s. This is a bug in the engine.", n.text, was, is)
		default:
			return n.providerErrorf(summary, "planned %s first, and %s during the apply with all values known, for %s.", was, is, n.text)
		}
	}
	before, _ := first.After.UnmarkDeep()
	after, _ := final.After.UnmarkDeep()
	var diags tfdiags.Diagnostics
	for _, err := range objchange.AssertObjectCompatible(n.schema.Body, before, after) {
		diags = append(diags, n.providerErrorf(summary, "planned %s during the apply with all values known, and deviated from the first plan: %s.", n.text, errorText(err))...)
	}
	return diags
}

// applied is the result of an apply; obj is nil if there is no object.
type applied struct {
	obj *states.ResourceInstanceObject
	// kept means that the state keeps its object, if any; obj may then be nil even if the state has
	// an object. After an error, the dependencies of the kept object may change.
	kept bool
}

// applyChange applies a change and returns the result to save (docs/checks.md §11). config is
// cty.NilVal for a deletion.
func (n *node) applyChange(change *plans.ResourceInstanceChange, prior *states.ResourceInstanceObject, config cty.Value, sensitive []cty.Path, deps []addrs.ConfigResource) (applied, tfdiags.Diagnostics) {
	ty := n.schema.ty
	before, _ := change.Before.UnmarkDeep()
	after, _ := change.After.UnmarkDeep()
	if change.Action == plans.NoOp { // the final plan has no changes: the provider is not called
		return applied{obj: prior, kept: true}, nil
	}
	if change.Action == plans.Create {
		before = cty.NullVal(ty)
	}
	unmarked := cty.NullVal(ty)
	if config != cty.NilVal {
		unmarked, _ = config.UnmarkDeep()
		if !unmarked.IsWhollyKnown() { // OpenTofu then removes the object from the state
			return applied{kept: n.terraform()}, n.errorf("Configuration contains unknown value", "The configuration of %s has values that are still unknown during the apply.", n.text)
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
		TypeName: n.addr.Resource.Resource.Type, PriorState: before, PlannedState: after, Config: unmarked, PlannedPrivate: change.Private,
		ProviderMeta: meta, PlannedIdentity: n.identityOrNull(change.AfterIdentity),
	})
	v, id, storable, moreDiags := n.appliedObject(resp, before, after, change.Action == plans.Delete)
	diags = append(diags, moreDiags...)
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
	return savedObject(change.Action, prior, out, diags.HasErrors()), diags
}

// appliedObject returns the object of a response, its identity, and whether they can be saved
// (docs/checks.md §11.1).
func (n *node) appliedObject(resp provider.ApplyResourceChangeResponse, before, after cty.Value, deleting bool) (v, id cty.Value, storable bool, diags tfdiags.Diagnostics) {
	id, diags = n.checkIdentity(resp.NewIdentity, "ApplyResourceChange", identityRules{
		unknown: "Provider produced invalid identity", missing: "identity type not found for resource type " + n.addr.Resource.Resource.Type,
	})
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	v = resp.NewState
	if v == cty.NilVal { // no value: unless a delete succeeded, the prior object is assumed to still exist
		v = cty.NullVal(n.schema.ty)
		if !deleting || resp.Diagnostics.HasErrors() {
			v = before
		}
	}
	const invalid = "Provider produced invalid object"
	if problem := typeProblem(v, n.schema.ty); problem != "" {
		return v, id, false, append(diags, n.providerErrorf(invalid, "returned a value for %s that is not of its type and is not saved in the state: %s.", n.text, problem)...)
	}
	if wo := n.checkWriteOnly(v, invalid); len(wo) > 0 {
		diags = append(diags, wo...)
		if n.terraform() {
			return v, id, false, diags
		}
	}
	if !v.IsWhollyKnown() {
		for path, part := range cty.DeepValues(v) {
			if !part.IsKnown() {
				diags = append(diags, n.providerErrorf("Provider returned invalid result object after apply", "returned an unknown value for %s%s. "+
					"All values must be known after an apply. The known values are saved in the state.", n.text, dotted(path))...)
			}
		}
		v = cty.UnknownAsNull(v)
	}
	if !diags.HasErrors() {
		diags = append(diags, n.checkApplied(after, v, deleting, resp.LegacyTypeSystem)...)
	}
	return v, id, true, diags
}

// savedObject returns the object to save for the response out (docs/checks.md §11.3). It may change out.
func savedObject(action plans.Action, prior, out *states.ResourceInstanceObject, failed bool) applied {
	switch {
	case out.Value.IsNull() && failed && prior != nil:
		return applied{obj: prior, kept: true} // the object was not deleted or changed
	case out.Value.IsNull():
		return applied{}
	case !failed:
	case action == plans.Create:
		out.Status = states.ObjectTainted
	case prior != nil:
		out.Status = prior.Status
		if action == plans.Delete {
			out.CreateBeforeDestroy, out.SensitivePaths = false, nil // as in core, a failed deletion keeps neither
		}
	}
	return applied{obj: out}
}

// checkApplied checks rows 8 to 10 of docs/checks.md §11.1, up to the first that fails.
func (n *node) checkApplied(after, v cty.Value, deleting, legacy bool) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if !deleting && !legacy {
		for _, err := range objchange.AssertObjectCompatible(n.schema.Body, after, v) {
			diags = append(diags, n.providerErrorf("Provider produced inconsistent result after apply", "returned an object for %s that differs from the planned one: %s.", n.text, errorText(err))...)
		}
	}
	if diags.HasErrors() {
		return diags
	}
	const summary = "Provider returned invalid result object after apply"
	switch {
	case deleting && !v.IsNull():
		return n.providerErrorf(summary, "returned an object after the deletion of %s: the provider must return null.", n.text)
	case !deleting && v.IsNull():
		return n.providerErrorf(summary, "returned null after the apply of %s, as if it were deleted.", n.text)
	}
	return nil
}

// instanceNode returns the node of an instance of the block.
func (b *block) instanceNode(addr addrs.AbsResourceInstance) (*node, tfdiags.Diagnostics) {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return nil, diags
	}
	return b.node(addr, b.config, b.resource, b.objects.repetition(addr), p, b.schema), diags
}

// applyInstance applies one change.
func (b *block) applyInstance(c *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	n, diags := b.instanceNode(c.Addr)
	if diags.HasErrors() {
		return diags
	}
	return n.withSlot(func() tfdiags.Diagnostics {
		if c.Action == plans.Read {
			return n.applyData().WithAddress(n.text)
		}
		return n.applyManaged(c).WithAddress(n.text)
	})
}

// applyData reads a data source whose read was planned.
func (n *node) applyData() tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	config, moreDiags := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return diags
	}
	unmarked, sensitive := lang.UnmarkDeepSensitivePaths(config)
	return append(diags, n.readData(unmarked, pathsOf(sensitive))...)
}

// applyManaged plans again, compares the plans, and applies.
func (n *node) applyManaged(first *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	if first.Action == plans.NoOp {
		return n.applyNoOp(first)
	}
	var diags tfdiags.Diagnostics
	if first.Action == plans.CreateThenDelete {
		n.deposed.set(n.text, n.state.DeposeResourceInstanceObject(n.addr))
	}
	prior, moreDiags := n.current()
	diags = append(diags, moreDiags...)
	diags = append(diags, n.preconditions()...)
	if diags.HasErrors() { // as in core, the old object stays deposed
		return diags
	}
	// A tainted object is deleted or deposed by now.
	final, moreDiags := n.planChange(prior, replaceReason{createFirst: first.Action == plans.CreateThenDelete})
	diags = append(diags, moreDiags...)
	if !diags.HasErrors() {
		diags = append(diags, n.checkFinalPlan(first, final.change)...)
	}
	if diags.HasErrors() {
		return diags
	}
	change := *final.change
	if change.Action.IsReplace() {
		change.Action = plans.Create
	}
	deps := mergeDependencies(nil, n.dependencies())
	result, moreDiags := n.applyChange(&change, prior, final.config, final.obj.SensitivePaths, deps)
	diags = append(diags, moreDiags...)
	obj := result.obj
	if result.kept && obj != nil && moreDiags.HasErrors() { // as in core, only the dependencies change
		failed := *obj
		failed.Dependencies = deps
		obj, result.kept = &failed, false
	}
	if !result.kept {
		if obj != nil {
			if moreDiags := n.checkStorable(obj); moreDiags.HasErrors() {
				return append(diags, moreDiags...)
			}
		}
		diags = append(diags, n.save(n.state, obj)...)
	}
	if diags.HasErrors() { // as in core, the postconditions are about the object that the state still has
		n.restoreDeposed()
		obj = n.storedObject()
	}
	value := n.unknownValue()
	if obj != nil {
		value = n.visible(obj.Value, obj.SensitivePaths)
	}
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

// applyNoOp evaluates the conditions of an unchanged object. As in core, it decodes the object
// only if there are conditions.
func (n *node) applyNoOp(first *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if len(n.block.Preconditions)+len(n.block.Postconditions) > 0 {
		if _, diags = n.current(); diags.HasErrors() {
			return diags
		}
	}
	diags = append(diags, n.preconditions()...)
	if diags.HasErrors() {
		return diags
	}
	value := visible(n.schema.Body, first.After, nil)
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

// restoreDeposed makes a deposed object current again if its successor could not be
// created.
func (n *node) restoreDeposed() {
	if key, _ := n.deposed.get(n.text); key != states.NotDeposed {
		n.state.MaybeRestoreResourceInstanceDeposed(n.addr, key)
	}
}

// destroyInstance deletes or forgets the old object of a change.
func (b *builder) destroyInstance(c *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	n, diags := b.orphan(storedInstance{addr: c.Addr, provider: c.Provider})
	if diags.HasErrors() {
		return diags
	}
	return n.withSlot(func() tfdiags.Diagnostics { return n.destroy(c).WithAddress(n.text) })
}

func (n *node) destroy(c *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	if c.Action == plans.Forget {
		if c.DeposedKey != states.NotDeposed {
			n.state.ForgetResourceInstanceDeposed(n.addr, c.DeposedKey)
			return nil
		}
		n.state.SetResourceInstanceCurrent(n.addr, nil, c.Provider)
		return nil
	}
	key := c.DeposedKey
	if c.Action == plans.CreateThenDelete {
		if key, _ = n.deposed.get(n.text); key == states.NotDeposed {
			return nil
		}
	}
	gen := states.CurrentGen
	if key != states.NotDeposed {
		gen = key.Generation()
	}
	src := n.state.ResourceInstanceObject(n.addr, gen)
	if src == nil {
		return nil
	}
	obj, diags := n.decode(src)
	if diags.HasErrors() {
		return diags
	}
	change := *c
	change.Action, change.After = plans.Delete, cty.NullVal(n.schema.ty)
	switch {
	case key != states.NotDeposed:
		planned, moreDiags := n.planDestroy(obj, key, plans.NoReason)
		diags = append(diags, moreDiags...)
		if diags.HasErrors() {
			return diags
		}
		change = *planned
	case c.Action == plans.DeleteThenCreate:
		change.AfterIdentity = cty.NilVal // the planned identity is that of the new object
	}
	result, moreDiags := n.applyChange(&change, obj, cty.NilVal, obj.SensitivePaths, obj.Dependencies)
	diags = append(diags, moreDiags...)
	if result.kept {
		return diags
	}
	if key == states.NotDeposed {
		return append(diags, n.save(n.state, result.obj)...)
	}
	return append(diags, n.saveDeposed(key, result.obj)...)
}

func (n *node) saveDeposed(key states.DeposedKey, obj *states.ResourceInstanceObject) tfdiags.Diagnostics {
	if obj == nil {
		n.state.ForgetResourceInstanceDeposed(n.addr, key)
		return nil
	}
	src, err := n.encode(obj)
	if err != nil {
		return n.errorf("Failed to encode "+n.text+" in state", "%s.", err)
	}
	n.state.SetResourceInstanceDeposed(n.addr, key, src, n.provider.addr)
	return nil
}

// marked returns the value of an object in the state with sensitive values marked.
func marked(obj *states.ResourceInstanceObject) cty.Value {
	return lang.MarkPaths(obj.Value, obj.SensitivePaths, lang.Sensitive)
}

// mergeDependencies returns the sorted union of stored and now.
func mergeDependencies(stored, now []addrs.ConfigResource) []addrs.ConfigResource {
	byName := map[string]addrs.ConfigResource{}
	for _, r := range stored {
		byName[r.String()] = r
	}
	for _, r := range now {
		byName[r.String()] = r
	}
	var out []addrs.ConfigResource
	for _, name := range sortedKeys(byName) {
		out = append(out, byName[name])
	}
	return out
}

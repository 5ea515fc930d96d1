package engine

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// planData reads a data source if its configuration is known and no dependency is pending. Otherwise
// it plans the read for the apply (docs/checks.md §14), or, in a refresh-only run or an import command,
// removes the data from the state.
func (n *node) planData() tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	config, moreDiags := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, moreDiags.WithAddress(n.text)...)
	diags = append(diags, n.refuseEphemeral(config)...)
	if diags.HasErrors() {
		return diags
	}
	unmarked, sensitive := lang.UnmarkDeepSensitivePaths(config)
	reason := plans.NoReason
	switch {
	case !unmarked.IsWhollyKnown():
		reason = plans.ReadBecauseConfigUnknown
	case n.dependencyPending():
		reason = plans.ReadBecauseDependencyPending
	}
	if reason != plans.NoReason {
		if n.opts.Mode == plans.RefreshOnlyMode || n.importing() {
			if n.importing() {
				n.objects.set(n.addr, n.unknownValue())
			}
			n.state.ForgetResourceInstanceAll(n.addr) // as in core, nothing reads the data again
			return diags
		}
		value := n.visible(n.planRead(unmarked, pathsOf(sensitive), reason), pathsOf(sensitive))
		n.objects.set(n.addr, value)
		n.state.ForgetResourceInstanceAll(n.addr) // as in core, the refreshed state has no data that the apply reads
		return append(diags, n.postconditions(value)...)
	}
	if n.block.InCheck != "" && n.opts.Mode == plans.NormalMode { // the data source is read now, and again at the end of the apply
		n.planRead(unmarked, pathsOf(sensitive), plans.ReadBecauseCheckNested)
	}
	return append(diags, n.readData(unmarked, pathsOf(sensitive))...)
}

// planRead plans the read for the apply and returns the planned value.
func (n *node) planRead(config cty.Value, sensitive []cty.Path, reason plans.ActionReason) cty.Value {
	after := objchange.PlannedDataResourceObject(n.schema.Body, config)
	n.changes.add(&plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), Provider: n.provider.addr, Action: plans.Read, Reason: reason,
		Before: cty.NullVal(n.schema.ty), After: lang.MarkPaths(after, sensitive, lang.Sensitive),
		BeforeIdentity: cty.NilVal, AfterIdentity: cty.NilVal,
	})
	return after
}

// readData reads a data source whose configuration is known, and saves it. If the read fails for a
// data source in a check block, the check fails, and the errors become warnings.
func (n *node) readData(config cty.Value, sensitive []cty.Path) tfdiags.Diagnostics {
	v, diags := n.askData(config)
	if diags.HasErrors() {
		n.objects.set(n.addr, n.unknownValue())
		if n.block.InCheck == "" {
			return diags
		}
		diags = n.failCheck(diags)
		if n.op == applying { // the state keeps the known values
			known := cty.UnknownAsNull(objchange.PlannedDataResourceObject(n.schema.Body, config))
			diags = append(diags, n.save(n.state, &states.ResourceInstanceObject{Value: known, SensitivePaths: sensitive, Identity: cty.NilVal, Status: states.ObjectReady})...)
		}
		return diags
	}
	obj := &states.ResourceInstanceObject{Value: v, SensitivePaths: sensitive, Identity: cty.NilVal, Status: states.ObjectReady}
	diags = append(diags, n.save(n.state, obj)...)
	value := n.visible(v, sensitive)
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

func (n *node) askData(config cty.Value) (cty.Value, tfdiags.Diagnostics) {
	typeName := n.addr.Resource.Resource.Type
	meta, diags := n.meta()
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	validated := call(n.ctx, n.Engine, "ValidateDataResourceConfig", n.text, n.provider.ValidateDataResourceConfig, provider.ValidateDataResourceConfigRequest{TypeName: typeName, Config: config})
	diags = append(diags, n.providerDiags(validated.Diagnostics)...)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	resp := call(n.ctx, n.Engine, "ReadDataSource", n.text, n.provider.ReadDataSource, provider.ReadDataSourceRequest{
		TypeName: typeName, Config: config, ProviderMeta: meta, ClientCapabilities: capabilities,
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	v := valueOrNull(resp.State, n.schema.ty)
	return v, append(diags, n.checkObject(v)...)
}

// checkObject returns an error for an object that has the wrong type, is null, or is not wholly
// known.
func (n *node) checkObject(v cty.Value) tfdiags.Diagnostics {
	const summary = "Provider produced invalid object"
	if problem := typeProblem(v, n.schema.ty); problem != "" {
		return n.providerErrorf(summary, "returned a value for %s that is not of its type: %s.", n.text, problem)
	}
	if v.IsNull() {
		return n.providerErrorf("Provider produced null object", "returned null for %s instead of an object.", n.text)
	}
	if !v.IsWhollyKnown() {
		return n.providerErrorf(summary, "returned an unknown value in %s.", n.text)
	}
	return nil
}

// failCheck makes the check block that contains the data source fail. It changes the
// diagnostics to warnings and returns them.
func (n *node) failCheck(diags tfdiags.Diagnostics) tfdiags.Diagnostics {
	n.checks.add(plans.CheckResult{
		Kind: kindCheck, Object: checkAddress(n.addr.Module.Module(), n.block.InCheck), Instance: checkAddress(n.addr.Module, n.block.InCheck),
		Status: plans.CheckFail, Problems: []string{diags.Error()},
	})
	for i := range diags {
		diags[i].Severity = diag.Warning
	}
	return diags
}

// dependencyPending reports whether a managed resource that the block refers to, or an
// explicit dependency of the block or a module around it, has a planned change. References
// through local values, variables, outputs and other data do not count: their values
// determine whether the configuration is known. If the block has conditions, all its
// dependencies count, because conditions may be about any of them.
func (n *node) dependencyPending() bool {
	if len(n.block.Preconditions)+len(n.block.Postconditions) > 0 {
		return slices.ContainsFunc(n.dependencies(), n.changing)
	}
	if slices.ContainsFunc(n.managedReferences(), n.changing) {
		return true
	}
	for config, on := n.config, n.block.DependsOn; config != nil; {
		refs, _ := lang.References(on)
		for _, ref := range refs {
			if slices.ContainsFunc(n.pendingTargets(config.Path, ref.Subject, config != n.config), n.changing) {
				return true
			}
		}
		if config.Parent == nil {
			return false
		}
		on = config.Parent.Module.ModuleCalls[config.Path[len(config.Path)-1]].DependsOn
		config = config.Parent
	}
	return false
}

// managedReferences returns the managed resources that the body, count, for_each or enabled of
// the block refers to directly.
func (n *node) managedReferences() []addrs.ConfigResource {
	refs := n.readings.of(n.block.Config, n.schema.Body).refs
	for _, expr := range []hcl.Expression{n.block.Count, n.block.ForEach, n.block.Enabled} {
		if expr != nil {
			refs = slices.Concat(refs, refsInExpr(expr).refs)
		}
	}
	var out []addrs.ConfigResource
	for _, ref := range refs {
		var r addrs.Resource
		switch subject := ref.Subject.(type) {
		case addrs.Resource:
			r = subject
		case addrs.ResourceInstance:
			r = subject.Resource
		}
		if r.Mode == addrs.ManagedResourceMode {
			out = append(out, r.InModule(n.config.Path))
		}
	}
	return out
}

// changing reports whether an object of the block r has a planned change. If r is in the
// node's module, only objects in the same module instance count. A planned read of
// data counts only if the node is an ephemeral resource.
func (n *node) changing(r addrs.ConfigResource) bool {
	here := r.Module.Equal(n.addr.Module.Module())
	counts := func(c *plans.ResourceInstanceChange) bool { return !here || c.Addr.Module.Equal(n.addr.Module) }
	if r.Resource.Mode == addrs.DataResourceMode && n.addr.Resource.Resource.Mode == addrs.EphemeralResourceMode {
		return slices.ContainsFunc(n.changes.ofResource(r), counts)
	}
	return n.changes.anyPending(r, counts)
}

// pendingTargets returns the resources that the block waits for because subject is in a
// depends_on: a resource, or everything in a module with its dependencies. If the depends_on
// is not that of the block but that of a module around it (ofModule), the block also waits
// for the dependencies of the resource.
func (n *node) pendingTargets(path addrs.Module, subject lang.Referenceable, ofModule bool) []addrs.ConfigResource {
	var r addrs.ConfigResource
	switch subject := subject.(type) {
	case addrs.Resource:
		r = subject.InModule(path)
	case addrs.ResourceInstance:
		r = subject.Resource.InModule(path)
	case addrs.ModuleCall:
		return n.deps.dependencies[closeName(path.Child(subject.Name))]
	case lang.ModuleCallOutput:
		return n.deps.dependencies[closeName(path.Child(subject.Call.Name))]
	default:
		return nil
	}
	if !ofModule {
		return []addrs.ConfigResource{r}
	}
	return append([]addrs.ConfigResource{r}, n.deps.dependencies[r.String()]...)
}

// dropOrphanData removes from the state the data of instances that no longer exist.
func (b *block) dropOrphanData() {
	for _, s := range b.stored() {
		if b.orphanReason(s.addr) != plans.NoReason {
			b.state.ForgetResourceInstanceAll(s.addr)
		}
	}
}

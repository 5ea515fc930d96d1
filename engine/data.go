package engine

import (
	"slices"

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

// planData is CHECKS §14: read at once where everything is known, else put off to
// the apply.
func (n *node) planData() tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	config, said := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, said.WithAddress(n.text)...)
	diags = append(diags, n.refuseEphemeral(config)...)
	if diags.HasErrors() {
		return n.inCheck(diags)
	}
	bare, sensitive := unmarkForProvider(config)
	reason := plans.NoReason
	switch {
	case !bare.IsWhollyKnown():
		reason = plans.ReadBecauseConfigUnknown
	case n.dependencyPending():
		reason = plans.ReadBecauseDependencyPending
	}
	if reason != plans.NoReason {
		if n.opts.Mode == plans.RefreshOnlyMode {
			n.objects.set(n.addr, n.unknownValue())
			return diags
		}
		n.objects.set(n.addr, n.visible(n.planRead(bare, pathsOf(sensitive), reason), pathsOf(sensitive)))
		return diags
	}
	if n.block.InCheck != "" && n.opts.Mode == plans.NormalMode { // it is read now, and again when all is done
		n.planRead(bare, pathsOf(sensitive), plans.ReadBecauseCheckNested)
	}
	return append(diags, n.readData(bare, pathsOf(sensitive))...)
}

// planRead puts a read off to the apply, and returns what stands in for its result.
func (n *node) planRead(config cty.Value, sensitive []cty.Path, reason plans.ActionReason) cty.Value {
	after := objchange.PlannedDataResourceObject(n.schema.Body, config)
	n.changes.add(&plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.addr, Provider: n.provider.addr, Action: plans.Read, Reason: reason,
		Before: cty.NullVal(n.schema.ty), After: lang.MarkPaths(after, sensitive, lang.Sensitive),
		BeforeIdentity: cty.NilVal, AfterIdentity: cty.NilVal,
	})
	return after
}

// readData reads a data source whose configuration is known, and saves it.
func (n *node) readData(config cty.Value, sensitive []cty.Path) tfdiags.Diagnostics {
	v, diags := n.askData(config)
	if diags.HasErrors() {
		n.objects.set(n.addr, n.unknownValue())
		if n.block.InCheck != "" && n.op == applying { // what is known of it is kept
			known := cty.UnknownAsNull(objchange.PlannedDataResourceObject(n.schema.Body, config))
			diags = append(diags, n.save(n.state, &states.ResourceInstanceObject{Value: known, SensitivePaths: sensitive, Identity: cty.NilVal, Status: states.ObjectReady})...)
		}
		return n.inCheck(diags)
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
	diags = append(diags, n.said(validated.Diagnostics)...)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	resp := call(n.ctx, n.Engine, "ReadDataSource", n.text, n.provider.ReadDataSource, provider.ReadDataSourceRequest{
		TypeName: typeName, Config: config, ProviderMeta: meta, ClientCapabilities: offered,
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	diags = append(diags, n.said(resp.Diagnostics)...)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	const summary = "Provider produced invalid object"
	v := null(resp.State, n.schema.ty)
	if problem := conforms(v, n.schema.ty); problem != "" {
		return v, append(diags, n.blame(summary, "read something for %s that is no object of its type: %s.", n.text, problem)...)
	}
	if v.IsNull() {
		return v, append(diags, n.blame("Provider produced null object", "read nothing for %s, not even an object without values.", n.text)...)
	}
	if !v.IsWhollyKnown() {
		return v, append(diags, n.blame(summary, "left a part of %s unknown, which has been read.", n.text)...)
	}
	return v, diags
}

// inCheck turns errors of a data source inside of a check block into warnings.
func (n *node) inCheck(diags tfdiags.Diagnostics) tfdiags.Diagnostics {
	if n.block == nil || n.block.InCheck == "" {
		return diags
	}
	for i := range diags {
		diags[i].Severity = diag.Warning
	}
	return diags
}

// dependencyPending reports whether something that the block or its module
// depends on explicitly is about to change. Conditions may be about anything that
// the block needs, so with them all of that counts.
func (n *node) dependencyPending() bool {
	if len(n.block.Preconditions)+len(n.block.Postconditions) > 0 {
		return slices.ContainsFunc(n.dependencies(), n.changing)
	}
	for config, on := n.config, n.block.DependsOn; config != nil; {
		refs, _ := lang.References(on)
		for _, ref := range refs {
			if slices.ContainsFunc(n.pendingTargets(config.Path, ref.Subject), n.changing) {
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

// changing reports whether an object of the block is about to change. Where the node
// is in the same module, only objects in the same instance of it are meant.
func (n *node) changing(r addrs.ConfigResource) bool {
	return slices.ContainsFunc(n.changes.ofResource(r), func(c *plans.ResourceInstanceChange) bool {
		elsewhere := r.Module.Equal(n.addr.Module.Module()) && !c.Addr.Module.Equal(n.addr.Module)
		return !elsewhere && c.Action != plans.NoOp && c.Action != plans.Read
	})
}

// pendingTargets are the managed resources that a depends_on names, and what
// these depend on.
func (n *node) pendingTargets(path addrs.Module, subject lang.Referenceable) []addrs.ConfigResource {
	var named []addrs.ConfigResource
	switch subject := subject.(type) {
	case addrs.Resource:
		named = append(named, subject.InModule(path))
	case addrs.ResourceInstance:
		named = append(named, subject.Resource.InModule(path))
	case addrs.ModuleCall:
		named = n.resourcesBelow(path.Child(subject.Name))
	case lang.ModuleCallOutput:
		named = n.resourcesBelow(path.Child(subject.Call.Name))
	}
	out := named
	for _, r := range named {
		if r.Resource.Mode == addrs.DataResourceMode {
			out = append(out, n.shape.dependencies[r.String()]...)
		}
	}
	return out
}

func (n *node) resourcesBelow(path addrs.Module) []addrs.ConfigResource {
	var out []addrs.ConfigResource
	for _, name := range sortedKeys(n.shape.blocks) {
		r := n.shape.blocks[name]
		if len(r.Module) >= len(path) && r.Module[:len(path)].Equal(path) {
			out = append(out, r)
		}
	}
	return out
}

// dropOrphanData forgets data of instances that are not there anymore.
func (b *block) dropOrphanData() {
	for _, s := range b.stored() {
		if b.orphanReason(s.addr) != plans.NoReason {
			b.state.ForgetResourceInstanceAll(s.addr)
		}
	}
}

package engine

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
)

// block is a resource, data, ephemeral, list or action block in a walk.
type block struct {
	*walk
	config   *configs.Config
	resource *configs.Resource
	provider addrs.AbsProviderConfig
	schema   *typeSchema
}

// addr returns the address of the block in the tree of modules.
func (b *block) addr() addrs.ConfigResource { return b.resource.Addr.InModule(b.config.Path) }

// resource adds the vertex of a resource block. In an apply, the instances of managed resources
// and data sources have vertices of their own, which this vertex waits for.
func (b *builder) resource(config *configs.Config, r *configs.Resource) *vertex {
	name := prefixed(config.Path, r.Addr.String())
	provider, configured := b.providerOf(config, r.ProviderConfigRef, r.Addr.Absolute(config.Path.UnkeyedInstance()).String())
	schema := b.schemaOf(r, provider)
	v := b.graph.add(name, nil)
	b.blocks[name] = r.Addr.InModule(config.Path)
	b.graph.connect(v, configured)
	if schema == nil {
		return v
	}
	if r.Managed.CreateBeforeDestroy {
		b.createFirst = append(b.createFirst, name)
	}
	bl := &block{walk: b.walk, config: config, resource: r, provider: provider, schema: schema}
	waits := v
	if b.op == applying && r.Addr.Mode != addrs.EphemeralResourceMode {
		waits = b.graph.add(prepareName(name), bl.prepare)
		b.graph.connect(v, waits)
		b.graph.connect(waits, configured)
		if !config.Path.IsRoot() {
			b.graph.connect(waits, b.graph.add(expandName(config.Path), nil))
		}
	} else {
		v.run = bl.run
	}
	b.needsExpr(waits, config, r.Count)
	b.needsExpr(waits, config, r.ForEach)
	b.needsExpr(waits, config, r.Enabled)
	b.needsTraversals(waits, config, r.DependsOn)
	b.needsExpr(waits, config, r.List.IncludeResource)
	b.needsExpr(waits, config, r.List.Limit)
	b.needsBody(waits, config, r.Config, schema.Body)
	for _, rule := range slices.Concat(r.Preconditions, r.Postconditions) {
		b.needsRule(waits, config, rule)
	}
	for _, expr := range r.Managed.ReplaceTriggeredBy {
		b.needsExpr(waits, config, expr)
	}
	b.needsExpr(waits, config, r.Managed.PreventDestroy)
	if len(r.Managed.ActionTriggers) > 0 {
		b.needsActions(bl, v)
	}
	b.planActions(bl, v)
	b.refuseSelf(config, r, schema)
	maps.DeleteFunc(waits.needs, func(n *vertex, _ struct{}) bool { // a block does not wait for itself
		return n == v || b.instanceGates[n].block == name
	})
	b.applies = append(b.applies, bl)
	return v
}

func prepareName(name string) string { return name + " (prepare)" }

// run validates the block, or plans, opens or lists its instances.
func (b *block) run() tfdiags.Diagnostics {
	if b.op == validating {
		return b.validate()
	}
	switch {
	case b.resource.Addr.Mode == addrs.EphemeralResourceMode:
		return b.eachInstance((*node).openEphemeral)
	case b.resource.Addr.Mode == addrs.ListResourceMode:
		return b.eachInstance((*node).list)
	case b.destroying():
		return b.prepare()
	case b.resource.Addr.Mode == addrs.DataResourceMode:
		diags := b.eachInstance((*node).planData)
		b.dropOrphanData()
		return diags
	default:
		diags := b.eachInstance((*node).planManaged)
		if diags.HasErrors() {
			return diags
		}
		return append(diags, b.planOrphans()...)
	}
}

// eachInstance runs f for every instance, within the parallelism of the walk. Instances that
// the targets exclude only show their stored value to expressions.
func (b *block) eachInstance(f func(*node) tfdiags.Diagnostics) tfdiags.Diagnostics {
	nodes, diags := b.expandAll()
	if !diags.HasErrors() || b.options.Flavor == OpenTofu {
		diags = append(diags, b.missingInstances(nodes)...)
	}
	if diags.HasErrors() {
		return diags
	}
	return append(diags, eachOf(nodes, func(n *node) tfdiags.Diagnostics {
		if !n.wants(n.addr) {
			n.showStored()
			return nil
		}
		return n.withSlot(func() tfdiags.Diagnostics { return f(n).WithAddress(n.text) })
	})...)
}

// expandAll returns the instances of the block in all instances of its module, and records them
// for expressions.
func (b *block) expandAll() ([]*node, tfdiags.Diagnostics) {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return nil, diags
	}
	var nodes []*node
	for _, m := range b.moduleInstances(b.config.Path) {
		abs := b.resource.Addr.Absolute(m.addr)
		x, moreDiags := b.scope(m.addr, b.config).expand(b.resource.Count, b.resource.ForEach, b.resource.Enabled)
		diags = append(diags, moreDiags.ForAddress(abs.String())...)
		if x.mode == repeatEnabled {
			x.disabled = cty.NullVal(b.schema.ty)
		}
		x.stored = b.opts.Mode == plans.RefreshOnlyMode // as in core, which then plans only instances in the state
		b.objects.expand(abs, x)
		diags = append(diags, b.incompleteReplacements(abs, x)...)
		for _, k := range x.keys {
			nodes = append(nodes, b.node(abs.Instance(k), b.config, b.resource, x.repetition(k), p, b.schema))
		}
	}
	return nodes, diags
}

// incompleteReplacements returns a warning for each request without an instance key to replace the
// block, unless the instances of the block are unknown or one of them has no key. Like core, it
// ignores the module in the request.
func (b *block) incompleteReplacements(abs addrs.AbsResource, x expansion) tfdiags.Diagnostics {
	if x.mode == repeatUnknown || slices.Contains(x.keys, addrs.NoKey) {
		return nil
	}
	instances := "It has no instances."
	if len(x.keys) > 0 {
		instances = "It has these instances:"
		for _, k := range x.keys {
			instances += "\n  " + abs.Instance(k).String()
		}
	}
	var diags tfdiags.Diagnostics
	for _, asked := range b.opts.ForceReplace {
		if asked.Resource.Key == addrs.NoKey && asked.Resource.Resource == b.resource.Addr {
			diags = diags.Warnf("", "Incompletely-matched force-replace resource instance",
				"%s is not the address of an instance, so nothing is replaced for it. %s", asked, instances)
		}
	}
	return diags
}

// validate validates the block with unknown values for everything that depends on
// instances (docs/checks.md §5).
func (b *block) validate() tfdiags.Diagnostics {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return diags
	}
	for _, m := range b.moduleInstances(b.config.Path) {
		abs := b.resource.Addr.Absolute(m.addr)
		mode := repeatNone
		if b.resource.Count != nil || b.resource.ForEach != nil {
			mode = repeatUnknown
			diags = append(diags, b.scope(m.addr, b.config).validateRepetition(b.resource.Count, b.resource.ForEach)...)
		}
		n := b.node(abs.Instance(addrs.NoKey), b.config, b.resource, unknownRepetition(b.resource.Count, b.resource.ForEach), p, b.schema)
		diags = append(diags, n.validate()...)
		diags = append(diags, n.scope().dependsOn(b.resource.DependsOn)...)
		b.objects.expand(abs, expansion{mode: mode, keys: []addrs.InstanceKey{addrs.NoKey}})
		value := n.validationValue()
		b.objects.set(n.addr, value)
		diags = append(diags, n.preconditions()...)
		diags = append(diags, n.postconditions(value)...)
	}
	return diags
}

// refuseSelf reports an error if the body of a resource refers to the resource.
func (b *builder) refuseSelf(config *configs.Config, r *configs.Resource, schema *typeSchema) {
	for _, ref := range b.readings.of(r.Config, schema.Body).refs {
		named := ref.Subject
		if instance, ok := named.(addrs.ResourceInstance); ok && r.Count == nil && r.ForEach == nil {
			named = instance.Resource
		}
		if named != lang.Referenceable(r.Addr) {
			continue
		}
		b.diags = append(b.diags, errorAt(ref.Range, "Self-referential block",
			"Configuration for "+r.Addr.String()+" may not refer to itself.").WithAddress(r.Addr.Absolute(config.Path.UnkeyedInstance()).String())...)
	}
}

// validate calls the provider to validate a block of any mode.
func (n *node) validate() tfdiags.Diagnostics {
	switch n.addr.Resource.Resource.Mode {
	case addrs.ManagedResourceMode:
		_, diags := n.evalConfig()
		return append(diags, n.validateLifecycle()...)
	case addrs.DataResourceMode:
		return n.validateWith(func(v cty.Value) diag.Diagnostics {
			return call(n.ctx, n.Engine, "ValidateDataResourceConfig", n.text, n.provider.ValidateDataResourceConfig,
				provider.ValidateDataResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, Config: v}).Diagnostics
		})
	case addrs.ListResourceMode:
		return n.validateList()
	case addrs.ActionMode:
		return n.validateWith(func(v cty.Value) diag.Diagnostics {
			return call(n.ctx, n.Engine, "ValidateActionConfig", n.text, n.provider.ValidateActionConfig,
				provider.ValidateActionConfigRequest{ActionType: n.addr.Resource.Resource.Type, Config: v}).Diagnostics
		})
	default:
		return n.validateWith(func(v cty.Value) diag.Diagnostics {
			return call(n.ctx, n.Engine, "ValidateEphemeralResourceConfig", n.text, n.provider.ValidateEphemeralResourceConfig,
				provider.ValidateEphemeralResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, Config: v}).Diagnostics
		})
	}
}

func (n *node) validateWith(validate func(cty.Value) diag.Diagnostics) tfdiags.Diagnostics {
	v, diags := n.scope().body(n.block.Config, n.schema.Body)
	diags = diags.WithAddress(n.text)
	if mode := n.addr.Resource.Resource.Mode; mode == addrs.DataResourceMode || mode == addrs.ActionMode {
		diags = append(diags, n.refuseEphemeral(v)...)
	}
	if diags.HasErrors() {
		return diags
	}
	unmarked, _ := v.UnmarkDeep()
	return append(diags, n.providerDiags(validate(unmarked))...)
}

// validationValue returns the value of the block in expressions during validation. For
// OpenTofu, it has the marks of sensitive and deprecated attributes.
func (n *node) validationValue() cty.Value {
	if mode := n.addr.Resource.Resource.Mode; mode == addrs.ListResourceMode || mode == addrs.ActionMode {
		return cty.DynamicVal // these values do not have the type of the schema
	}
	v := n.unknownValue()
	if n.block.Enabled != nil { // the object may not exist, so it has no marks
		return v
	}
	if !n.terraform() && (n.schema.Body.ContainsSensitive() || n.schema.deprecates) {
		vals := make(map[string]cty.Value, len(n.schema.ty.AttributeTypes()))
		for name, ty := range n.schema.ty.AttributeTypes() {
			vals[name] = cty.UnknownVal(ty)
		}
		v = n.visible(cty.ObjectVal(vals), nil)
	}
	if n.addr.Resource.Resource.Mode == addrs.EphemeralResourceMode {
		v = v.Mark(lang.Ephemeral)
	}
	return v
}

// validateLifecycle checks that the attributes in ignore_changes exist and, for OpenTofu, the
// objects and attributes in replace_triggered_by. It warns of ignored attributes that only the
// provider sets.
func (n *node) validateLifecycle() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, traversal := range n.block.Managed.IgnoreChanges {
		path, moreDiags := pathOf(traversal)
		moreDiags = moreDiags.Append(lang.StaticValidateTraversal(n.schema.Body, traversal))
		diags = append(diags, moreDiags...)
		if moreDiags.HasErrors() {
			continue
		}
		if attr := n.schema.Body.AttributeByPath(path); attr != nil && attr.Computed && !attr.Optional {
			diags = diags.Warnf(n.text, "Redundant ignore_changes element", "Adding %s to ignore_changes has no effect, because only the provider sets it.", quoted(dotted(path)))
		}
	}
	if n.terraform() { // only the plan checks replace_triggered_by
		return diags
	}
	s := n.scope().repeated(anyRepetition(n.block))
	for _, expr := range n.block.Managed.ReplaceTriggeredBy {
		if ref, addr, invalid := s.trigger(expr); !invalid.HasErrors() { // the plan reports invalid references
			diags = append(diags, s.validateTrigger(ref, addr).ForAddress(n.text)...)
		}
	}
	return diags
}

// anyRepetition returns a repetition with a known index or key, so that keys in addresses can be
// evaluated.
func anyRepetition(r *configs.Resource) repetition {
	switch {
	case r.Count != nil:
		return repetition{index: cty.Zero}
	case r.ForEach != nil:
		return repetition{key: cty.StringVal(""), value: cty.DynamicVal}
	default:
		return repetition{}
	}
}

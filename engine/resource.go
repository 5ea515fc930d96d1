package engine

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// block is a resource block in a walk: what its instances share.
type block struct {
	*walk
	config   *configs.Config
	resource *configs.Resource
	provider addrs.AbsProviderConfig
	schema   *typeSchema
}

// addr is the block in the static tree of modules.
func (b *block) addr() addrs.ConfigResource { return b.resource.Addr.InModule(b.config.Path) }

// resource is the vertex of a resource block. When applying, its instances have
// vertices of their own, which it waits for.
func (b *builder) resource(config *configs.Config, r *configs.Resource) *vertex {
	name := prefixed(config.Path, r.Addr.String())
	provider, configured := b.providerOf(config, r.ProviderConfigRef, r.Addr.Absolute(config.Path.UnkeyedInstance()).String())
	schema := b.typeOf(r, provider)
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
	b.needsTraversals(waits, config, r.DependsOn)
	b.needsBody(waits, config, r.Config, schema.Body)
	for _, rule := range slices.Concat(r.Preconditions, r.Postconditions) {
		b.needsRule(waits, config, rule)
	}
	for _, expr := range r.Managed.ReplaceTriggeredBy {
		b.needsExpr(waits, config, expr)
	}
	b.refuseSelf(config, r, schema)
	delete(waits.needs, v) // a postcondition may name its own resource
	b.applies = append(b.applies, bl)
	return v
}

func prepareName(name string) string { return name + " (prepare)" }

// run does what the walk is for, when validating or planning.
func (b *block) run() tfdiags.Diagnostics {
	if b.op == validating {
		return b.validate()
	}
	switch {
	case b.resource.Addr.Mode == addrs.EphemeralResourceMode:
		return b.eachInstance((*node).openEphemeral)
	case b.destroying():
		return b.planDestroyAll()
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

// eachInstance runs f for every instance, within the limit of the walk.
func (b *block) eachInstance(f func(*node) tfdiags.Diagnostics) tfdiags.Diagnostics {
	nodes, diags := b.expandAll()
	if diags.HasErrors() {
		return diags
	}
	return append(diags, eachOf(nodes, func(n *node) tfdiags.Diagnostics {
		if !n.wants(n.addr) {
			n.showStored()
			return nil
		}
		return n.limited(func() tfdiags.Diagnostics { return f(n).WithAddress(n.text) })
	})...)
}

// expandAll finds the instances of the block in all instances of its module.
func (b *block) expandAll() ([]*node, tfdiags.Diagnostics) {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return nil, diags
	}
	var nodes []*node
	for _, m := range b.moduleInstances(b.config) {
		abs := b.resource.Addr.Absolute(m.addr)
		x, said := b.scope(m.addr, b.config).expand(b.resource.Count, b.resource.ForEach)
		diags = append(diags, said.ForAddress(abs.String())...)
		b.objects.expand(abs, x)
		for _, k := range x.keys {
			nodes = append(nodes, b.node(abs.Instance(k), b.config, b.resource, x.repetition(k), p, b.schema))
		}
	}
	return nodes, diags
}

// validate is CHECKS §5: the block with nothing known that depends on instances.
func (b *block) validate() tfdiags.Diagnostics {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return diags
	}
	for _, m := range b.moduleInstances(b.config) {
		abs := b.resource.Addr.Absolute(m.addr)
		mode := repeatNone
		if b.resource.Count != nil || b.resource.ForEach != nil {
			mode = repeatUnknown
			diags = append(diags, b.validateRepetition(m.addr)...)
		}
		n := b.node(abs.Instance(addrs.NoKey), b.config, b.resource, unknownRepetition(b.resource.Count, b.resource.ForEach), p, b.schema)
		diags = append(diags, n.validate()...)
		b.objects.expand(abs, expansion{mode: mode, keys: []addrs.InstanceKey{addrs.NoKey}})
		value := n.validationValue()
		b.objects.set(n.addr, value)
		diags = append(diags, n.checkRules(value)...)
	}
	return diags
}

// checkRules evaluates the conditions of a block during validation.
func (n *node) checkRules(self cty.Value) tfdiags.Diagnostics {
	diags := n.preconditions()
	return append(diags, n.postconditions(self)...)
}

// refuseSelf is an error where the body of a resource refers to the resource.
func (b *builder) refuseSelf(config *configs.Config, r *configs.Resource, schema *typeSchema) {
	for _, ref := range b.readings.of(r.Config, schema.Body).refs {
		named := ref.Subject
		if instance, ok := named.(addrs.ResourceInstance); ok && r.Count == nil && r.ForEach == nil {
			named = instance.Resource
		}
		if named != lang.Referenceable(r.Addr) {
			continue
		}
		b.diags = append(b.diags, at(ref.Range, "Self-referential block",
			"Configuration for "+r.Addr.String()+" may not refer to itself.").WithAddress(r.Addr.Absolute(config.Path.UnkeyedInstance()).String())...)
	}
}

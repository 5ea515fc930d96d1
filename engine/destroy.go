package engine

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// destroying reports whether the walk plans or applies a destroy.
func (w *walk) destroying() bool {
	return w.opts.Mode == plans.DestroyMode
}

// deletions adds the vertices that plan the deletion of all managed objects in the state, each
// after those of the objects that depend on its object. If a vertex fails, the deletions of the
// dependencies of its object are not planned. In OpenTofu, the deletions of deposed objects have no order.
func (b *builder) deletions() {
	blocks := map[string]*block{}
	for _, bl := range b.applies {
		blocks[bl.addr().String()] = bl
	}
	type deletion struct {
		addr   addrs.AbsResourceInstance
		vertex *vertex
	}
	var all []deletion
	for _, s := range storedIn(b.previous, func(r addrs.ConfigResource) bool { return r.Resource.Mode == addrs.ManagedResourceMode }) {
		text := s.addr.String()
		bl := blocks[s.addr.ConfigResource().String()]
		add := func(suffix string, plan func(*node, *configs.Resource) tfdiags.Diagnostics) *vertex {
			v := b.graph.add(text+suffix, func() tfdiags.Diagnostics { return b.planDeletion(s, bl, plan) })
			if bl != nil {
				b.graph.connect(v, b.graph.get(bl.addr().String()))
			} else {
				b.graph.connect(v, b.storedProvider(s.provider))
			}
			b.deleted[v] = s.addr
			return v
		}
		inst := b.previous.ResourceInstance(s.addr)
		var ordered []*vertex
		if len(inst.Deposed) > 0 {
			v := add(" (destroy deposed)", func(n *node, _ *configs.Resource) tfdiags.Diagnostics { return n.planDeposed() })
			if b.options.Flavor == Terraform { // Terraform gives deposed objects the dependencies of the current one
				ordered = append(ordered, v)
			}
		}
		if inst.Current != nil {
			ordered = append(ordered, add(" (destroy)", func(n *node, r *configs.Resource) tfdiags.Diagnostics { return n.planOrphan(plans.NoReason, r) }))
		}
		for _, v := range ordered {
			all = append(all, deletion{s.addr, v})
			if inst.Current == nil {
				continue
			}
			b.deletedNeeds[v] = inst.Current.Dependencies
			for _, needed := range inst.Current.Dependencies {
				b.graph.connect(b.graph.add(gateUsersDeleted(usedBy(s.addr.Module, needed)), nil), v)
			}
		}
	}
	for _, d := range all {
		name := d.addr.ConfigResource().String()
		b.graph.connect(d.vertex, b.graph.get(gateUsersDeleted(name)))
		b.graph.connect(d.vertex, b.graph.get(gateUsersDeleted(within(name, d.addr.Module))))
	}
}

// planDeletion plans the deletion of an object in the state. bl is its block, or nil.
func (w *walk) planDeletion(s storedInstance, bl *block, plan func(*node, *configs.Resource) tfdiags.Diagnostics) tfdiags.Diagnostics {
	var (
		n     *node
		r     *configs.Resource
		diags tfdiags.Diagnostics
	)
	if bl == nil {
		n, diags = w.orphan(s)
	} else {
		var p *instance
		p, diags = w.providers.ensure(bl.provider)
		r, n = bl.resource, w.node(s.addr, bl.config, nil, repetition{}, p, bl.schema)
	}
	if diags.HasErrors() {
		return diags
	}
	return append(diags, n.withSlot(func() tfdiags.Diagnostics { return plan(n, r).WithAddress(n.text) })...)
}

// expandStored records, for expressions, the instances of a block that the state has.
func (w *walk) expandStored(found []storedInstance) {
	byResource := map[string][]storedInstance{}
	for _, s := range found {
		key := s.addr.ContainingResource().String()
		byResource[key] = append(byResource[key], s)
	}
	for _, group := range byResource {
		mode, keys := repeatNone, make([]addrs.InstanceKey, 0, len(group))
		for _, s := range group {
			switch s.addr.Resource.Key.(type) {
			case addrs.IntKey:
				mode = repeatCount
			case addrs.StringKey:
				mode = repeatEach
			}
			keys = append(keys, s.addr.Resource.Key)
		}
		w.objects.expand(group[0].addr.ContainingResource(), expansion{mode: mode, keys: keys})
	}
}

// storedInstance is an instance in the state.
type storedInstance struct {
	addr     addrs.AbsResourceInstance
	provider addrs.AbsProviderConfig
}

// storedIn returns the instances in a state that keep selects, sorted by address.
func storedIn(state *states.State, keep func(addrs.ConfigResource) bool) []storedInstance {
	var resources []*states.Resource
	for _, key := range sortedKeys(state.Modules) {
		m := state.Modules[key]
		for _, name := range sortedResources(m.Resources) {
			if r := m.Resources[name]; keep(r.Addr.Config()) {
				resources = append(resources, r)
			}
		}
	}
	return instancesOf(resources)
}

func instancesOf(resources []*states.Resource) []storedInstance {
	var out []storedInstance
	for _, r := range resources {
		for _, k := range slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys) {
			out = append(out, storedInstance{addr: r.Addr.Instance(k), provider: r.ProviderConfig})
		}
	}
	return out
}

// stored returns the instances of the block at the start of the run, after moves.
func (b *block) stored() []storedInstance { return instancesOf(b.previous.Resources(b.addr())) }

// snapshot returns a copy of the current state.
func (w *walk) snapshot() *states.State {
	defer w.state.Unlock()
	return w.state.Lock().DeepCopy()
}

// planOrphans plans the removal of instances that the block no longer declares, and of
// deposed objects of earlier runs. An import command only upgrades the instances.
func (b *block) planOrphans() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, s := range b.stored() {
		if !b.wants(s.addr) {
			continue
		}
		p, moreDiags := b.providers.ensure(b.provider)
		diags = append(diags, moreDiags...)
		if moreDiags.HasErrors() {
			return diags
		}
		n := b.node(s.addr, b.config, nil, repetition{}, p, b.schema)
		reason := b.orphanReason(s.addr)
		if reason != plans.NoReason {
			diags = append(diags, n.withSlot(func() tfdiags.Diagnostics { return n.planOrphan(reason, b.resource) }).WithAddress(n.text)...)
		}
		if !b.importing() {
			diags = append(diags, n.planDeposed()...)
		}
	}
	return diags
}

// orphanReason returns the reason why an instance of the block is orphaned, or NoReason if
// it is not.
func (b *block) orphanReason(addr addrs.AbsResourceInstance) plans.ActionReason {
	if !slices.ContainsFunc(b.moduleInstances(b.config.Path), func(m moduleInstance) bool { return m.addr.Equal(addr.Module) }) {
		return plans.DeleteBecauseNoModule
	}
	b.objects.mu.RLock()
	defer b.objects.mu.RUnlock()
	o := b.objects.m[objectKey{addr.Module.String(), addr.Resource.Resource}]
	if o == nil || slices.Contains(o.keys, addr.Resource.Key) {
		return plans.NoReason
	}
	switch addr.Resource.Key.(type) {
	case addrs.IntKey:
		if o.mode == repeatCount {
			return plans.DeleteBecauseCountIndex
		}
	case addrs.StringKey:
		if o.mode == repeatEach {
			return plans.DeleteBecauseEachKey
		}
	default:
		if o.mode == repeatEnabled {
			return plans.DeleteBecauseEnabledFalse
		}
	}
	return plans.DeleteBecauseWrongRepetition
}

// planOrphan plans the removal of an object. block is the configuration of its
// resource, if any. Terraform does not read objects that it forgets, and plans deletions in
// refresh-only mode, too, but does not keep them.
func (n *node) planOrphan(reason plans.ActionReason, block *configs.Resource) tfdiags.Diagnostics {
	if n.importing() {
		return n.importOrphan(reason)
	}
	forgotten := n.forgotten()
	read := n.refreshStored
	if forgotten && n.terraform() {
		read = n.current
	}
	obj, diags := read()
	refreshOnly := n.opts.Mode == plans.RefreshOnlyMode
	if refreshOnly && exists(obj) { // expressions can still refer to the object
		n.objects.set(n.addr, n.visible(obj.Value, obj.SensitivePaths))
	}
	switch {
	case diags.HasErrors() || !exists(obj) || refreshOnly && !n.terraform():
		return diags
	case refreshOnly:
		_, moreDiags := n.planDestroy(obj, states.NotDeposed, reason)
		return append(diags, moreDiags...)
	default:
		return append(diags, n.planRemoval(obj, reason, block, forgotten)...)
	}
}

// importOrphan upgrades an object in an import command. Terraform also plans its deletion, but
// does not keep the plan.
func (n *node) importOrphan(reason plans.ActionReason) tfdiags.Diagnostics {
	obj, diags := n.upgradeStored()
	if diags.HasErrors() || !exists(obj) || !n.terraform() {
		return diags
	}
	_, moreDiags := n.planDestroy(obj, states.NotDeposed, reason)
	return append(diags, moreDiags...)
}

// planRemoval plans to delete or forget an object.
func (n *node) planRemoval(obj *states.ResourceInstanceObject, reason plans.ActionReason, block *configs.Resource, forgotten bool) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if forgotten {
		diags = append(diags, n.forgetWarning()...)
		n.planForget(obj, states.NotDeposed, reason)
		return diags
	}
	change, moreDiags := n.planDestroy(obj, states.NotDeposed, reason)
	diags = append(diags, moreDiags...)
	if change == nil {
		return diags
	}
	n.changes.add(change)
	if block != nil {
		inner := *n
		inner.block = block
		diags = append(diags, inner.checkPreventDestroy(true)...)
	}
	return diags
}

// planForget plans to remove an object from the state without destroying it.
func (n *node) planForget(obj *states.ResourceInstanceObject, key states.DeposedKey, reason plans.ActionReason) {
	n.changes.add(&plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), DeposedKey: key, Provider: n.provider.addr, Action: plans.Forget, Reason: reason,
		Before: marked(obj), After: cty.NullVal(n.schema.ty), BeforeIdentity: obj.Identity, Private: obj.Private,
	})
}

// forgetWarning returns the warning about an object that is forgotten.
func (n *node) forgetWarning() tfdiags.Diagnostics {
	summary := "Resource will be removed from the state"
	if n.terraform() {
		summary = "Some objects will no longer be managed by Terraform"
	}
	return tfdiags.Diagnostics{}.Warnf(n.text, summary, "After this plan is applied, the object %s is no longer managed. It is not destroyed. To manage it again, import it.", n.text)
}

// planDeposed plans to delete or forget the objects that an earlier run left deposed. In
// refresh-only mode, it only reads them.
func (n *node) planDeposed() tfdiags.Diagnostics {
	inst := n.state.ResourceInstance(n.addr)
	if inst == nil {
		return nil
	}
	forgotten := n.forgotten()
	var diags tfdiags.Diagnostics
	for _, key := range sortedKeys(inst.Deposed) {
		obj, moreDiags := n.decode(inst.Deposed[key])
		diags = append(diags, moreDiags...)
		if moreDiags.HasErrors() {
			continue
		}
		if !n.opts.SkipRefresh && !(forgotten && n.terraform()) {
			obj, moreDiags = n.refresh(obj)
			diags = append(diags, moreDiags...)
			if moreDiags.HasErrors() {
				continue
			}
			if obj.Value.IsNull() {
				n.state.SetResourceInstanceDeposed(n.addr, key, nil, n.provider.addr)
				continue
			}
			if src, err := n.encode(obj); err == nil {
				n.state.SetResourceInstanceDeposed(n.addr, key, src, n.provider.addr)
			}
		}
		if n.opts.Mode == plans.RefreshOnlyMode {
			continue
		}
		if forgotten {
			n.planForget(obj, key, plans.NoReason)
			continue
		}
		change, moreDiags := n.planDestroy(obj, key, plans.NoReason)
		diags = append(diags, moreDiags...)
		if change != nil {
			n.changes.add(change)
		}
	}
	return diags
}

// forgotten reports whether a removed block forgets the node's objects. The blocks have no
// effect in a destroy or in a refresh-only plan. Of several blocks that match, the last one
// decides in OpenTofu; in Terraform, it is enough that one of them forgets the objects.
func (n *node) forgotten() bool {
	if n.opts.Mode != plans.NormalMode {
		return false
	}
	forgotten := false
	var visit func(c *configs.Config)
	visit = func(c *configs.Config) {
		for _, r := range c.Module.Removed {
			if contains(c.Path, r.FromAddr, n.addr.ConfigResource()) && !(n.terraform() && r.Destroy) {
				forgotten = !r.Destroy
			}
		}
		for _, name := range sortedKeys(c.Children) {
			visit(c.Children[name])
		}
	}
	visit(n.walk.config)
	return forgotten
}

// contains reports whether target, an address relative to a module, is the block or a
// module that contains it.
func contains(path addrs.Module, target addrs.Target, r addrs.ConfigResource) bool {
	named := slices.Concat(path, target.Module.Module())
	if target.Resource != (addrs.Resource{}) {
		return target.Resource == r.Resource && named.Equal(r.Module)
	}
	return len(named) <= len(r.Module) && named.Equal(r.Module[:len(named)])
}

// orphanBlocks adds vertices for managed resources that are only in the state, except in an
// import command.
func (b *builder) orphanBlocks() {
	if b.importing() {
		return
	}
	seen := map[string][]storedInstance{}
	for _, s := range storedIn(b.previous, func(r addrs.ConfigResource) bool {
		return b.graph.get(r.String()) == nil || b.blocks[r.String()].Resource.Type == ""
	}) {
		if s.addr.Resource.Resource.Mode != addrs.ManagedResourceMode {
			continue
		}
		name := s.addr.ConfigResource().String()
		seen[name] = append(seen[name], s)
	}
	for _, name := range sortedKeys(seen) {
		instances := seen[name]
		v := b.graph.add(name+orphanSuffix, func() tfdiags.Diagnostics {
			return eachOf(instances, func(s storedInstance) tfdiags.Diagnostics {
				if !b.wants(s.addr) {
					return nil
				}
				n, diags := b.orphan(s)
				if diags.HasErrors() {
					return diags
				}
				return n.withSlot(func() tfdiags.Diagnostics {
					diags := n.planOrphan(n.missingReason(), nil)
					diags = append(diags, n.planDeposed()...)
					return diags.WithAddress(n.text)
				})
			})
		})
		if end := b.graph.get(closeName(instances[0].addr.Module.Module())); end != nil { // references to the module as a whole wait for the removal
			b.graph.connect(end, v)
		}
		for _, s := range instances {
			b.graph.connect(v, b.storedProvider(s.provider))
		}
	}
}

// forgottenBlocks adds vertices for resources that an apply forgets, because references to
// their modules as a whole depend on them in OpenTofu.
func (b *builder) forgottenBlocks() {
	for _, c := range b.plan.Changes {
		end := b.graph.get(closeName(c.Addr.Module.Module()))
		if c.Action != plans.Forget || end == nil {
			continue
		}
		r := c.Addr.ConfigResource()
		b.blocks[r.String()] = r
		b.graph.connect(end, b.graph.add(r.String(), nil))
	}
}

// missingReason returns the reason for a deletion: the object was moved to an address without
// configuration, or its block was removed. A removed module has no reason of its own.
func (n *node) missingReason() plans.ActionReason {
	if !n.previousAddr().Equal(n.addr) {
		return plans.DeleteBecauseNoMoveTarget
	}
	return plans.DeleteBecauseNoResourceConfig
}

// orphan returns the node of an instance without configuration.
func (w *walk) orphan(s storedInstance) (*node, tfdiags.Diagnostics) {
	p, diags := w.providers.ensure(w.config.ReplacedProvider(s.provider))
	if diags.HasErrors() {
		return nil, diags
	}
	schema := p.schema.managed[s.addr.Resource.Resource.Type]
	if schema == nil {
		return nil, tfdiags.Diagnostics{}.Errorf(s.addr.String(), "no schema available for "+s.addr.String()+" while reading state",
			"The provider %s has no resource type %s, but the state has an object of this type.", s.provider.Provider, s.addr.Resource.Resource.Type)
	}
	return w.node(s.addr, w.config.Descendant(s.addr.Module.Module()), nil, repetition{}, p, schema), nil
}

// storedProvider returns the vertex of a provider configuration in the state, or nil after
// reporting that the configuration is missing.
func (b *builder) storedProvider(addr addrs.AbsProviderConfig) *vertex {
	addr = b.config.ReplacedProvider(addr)
	if v := b.graph.get(addr.String()); v != nil {
		return v
	}
	if block := b.config.ProviderBlock(addr); block != nil {
		return b.provider(addr, b.config.Descendant(addr.Module), block)
	}
	if addr.Alias != "" || !addr.Module.IsRoot() {
		b.diags = b.diags.Errorf("", "Provider configuration not present",
			"The state has objects of %s, whose configuration is missing, so they cannot be destroyed. Restore the provider configuration, and remove it only after the objects are destroyed.", addr)
		return nil
	}
	return b.provider(addr, b.config, nil)
}

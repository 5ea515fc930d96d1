package engine

import (
	"maps"
	"slices"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// stored is an instance that the state has.
type stored struct {
	addr     addrs.AbsResourceInstance
	provider addrs.AbsProviderConfig
}

// storedIn are the instances of the resources that a state has and keep wants, in
// the order of their addresses.
func storedIn(state *states.State, keep func(addrs.ConfigResource) bool) []stored {
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

// storedOf are the instances of one block that a state has.
func storedOf(state *states.State, r addrs.ConfigResource) []stored {
	return instancesOf(state.Resources(r))
}

func instancesOf(resources []*states.Resource) []stored {
	var out []stored
	for _, r := range resources {
		for _, k := range slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys) {
			out = append(out, stored{addr: r.Addr.Instance(k), provider: r.ProviderConfig})
		}
	}
	return out
}

// stored are the instances of the block that the run began with.
func (b *block) stored() []stored { return storedOf(b.previous, b.addr()) }

// snapshot is the state as it is now; it is not changed by what comes after.
func (w *walk) snapshot() *states.State {
	defer w.state.Unlock()
	return w.state.Lock().DeepCopy()
}

// planOrphans plans the deletion of what the block does not stand for anymore, and of
// deposed objects that earlier runs left behind.
func (b *block) planOrphans() tfdiags.Diagnostics {
	if b.importing() {
		return nil
	}
	var diags tfdiags.Diagnostics
	for _, s := range b.stored() {
		if !b.wants(s.addr) {
			continue
		}
		p, said := b.providers.ensure(b.provider)
		diags = append(diags, said...)
		if said.HasErrors() {
			return diags
		}
		n := b.node(s.addr, b.config, nil, repetition{}, p, b.schema)
		reason := b.orphanReason(s.addr)
		if reason != plans.NoReason {
			diags = append(diags, n.limited(func() tfdiags.Diagnostics { return n.planOrphan(reason, b.resource) }).WithAddress(n.text)...)
		}
		diags = append(diags, n.planDeposed()...)
	}
	return diags
}

// orphanReason says why an instance of the block is not wanted anymore, or
// NoReason where it is.
func (b *block) orphanReason(addr addrs.AbsResourceInstance) plans.ActionReason {
	if !slices.ContainsFunc(b.moduleInstances(b.config), func(m moduleInstance) bool { return m.addr.Equal(addr.Module) }) {
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
	}
	return plans.DeleteBecauseWrongRepetition
}

// planOrphan plans that an object goes. block is that of its siblings, if any.
func (n *node) planOrphan(reason plans.ActionReason, block *configs.Resource) tfdiags.Diagnostics {
	forgotten := n.forgotten()
	if n.terraform() {
		return n.planOrphanFirst(reason, block, forgotten)
	}
	obj, diags := n.refreshed()
	if diags.HasErrors() || obj == nil || n.opts.Mode == plans.RefreshOnlyMode {
		return diags
	}
	return append(diags, n.planGone(obj, reason, block, forgotten)...)
}

// planOrphanFirst is Terraform's order: the deletion is planned before the object
// is read again, and what is forgotten is not read.
func (n *node) planOrphanFirst(reason plans.ActionReason, block *configs.Resource, forgotten bool) tfdiags.Diagnostics {
	obj, diags := n.current()
	if diags.HasErrors() || obj == nil {
		return diags
	}
	if !forgotten && n.opts.Mode == plans.RefreshOnlyMode {
		_, said := n.planDestroy(obj, states.NotDeposed, reason)
		diags = append(diags, said...)
	} else if n.opts.Mode != plans.RefreshOnlyMode {
		diags = append(diags, n.planGone(obj, reason, block, forgotten)...)
	}
	if forgotten || diags.HasErrors() && !n.changes.has(n.addr) {
		return diags
	}
	found, said := n.refreshed()
	diags = append(diags, said...)
	if found == nil && !diags.HasErrors() {
		n.changes.remove(n.addr)
	}
	return diags
}

// planGone plans that an object goes: it is deleted, or forgotten.
func (n *node) planGone(obj *states.ResourceInstanceObject, reason plans.ActionReason, block *configs.Resource, forgotten bool) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if forgotten {
		diags = append(diags, n.forgetting()...)
		n.planForget(obj, states.NotDeposed, reason)
		return diags
	}
	change, said := n.planDestroy(obj, states.NotDeposed, reason)
	diags = append(diags, said...)
	if change == nil {
		return diags
	}
	n.changes.add(change)
	if block != nil && block.Managed.PreventDestroy {
		inner := *n
		inner.block = block
		diags = append(diags, inner.preventDestroy()...)
	}
	return diags
}

// planForget plans that an object is left to itself.
func (n *node) planForget(obj *states.ResourceInstanceObject, key states.DeposedKey, reason plans.ActionReason) {
	n.changes.add(&plans.ResourceInstanceChange{
		Addr: n.addr, PrevRunAddr: n.previousAddr(), DeposedKey: key, Provider: n.provider.addr, Action: plans.Forget, Reason: reason,
		Before: marked(obj), After: marked(obj), BeforeIdentity: obj.Identity, Private: obj.Private,
	})
}

// forgetting is the warning about an object that is left to itself.
func (n *node) forgetting() tfdiags.Diagnostics {
	summary := "Resource will be removed from the state"
	if n.terraform() {
		summary = "Some objects will no longer be managed by Terraform"
	}
	return tfdiags.Diagnostics{}.Warnf(n.text, summary, "After this plan gets applied, the object %s will not be managed anymore. It is not destroyed: to manage it again, import it.", n.text)
}

// planDeposed plans the deletion of objects that a run left deposed. Where nothing is
// to be changed they are read all the same.
func (n *node) planDeposed() tfdiags.Diagnostics {
	inst := n.state.ResourceInstance(n.addr)
	if inst == nil {
		return nil
	}
	forgotten := n.forgotten()
	var diags tfdiags.Diagnostics
	for _, key := range sortedKeys(inst.Deposed) {
		obj, said := n.decode(inst.Deposed[key])
		diags = append(diags, said...)
		if said.HasErrors() {
			continue
		}
		if !n.opts.SkipRefresh && !(forgotten && n.terraform()) {
			obj, said = n.refresh(obj)
			diags = append(diags, said...)
			if said.HasErrors() {
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
		change, said := n.planDestroy(obj, key, plans.NoReason)
		diags = append(diags, said...)
		if change != nil {
			n.changes.add(change)
		}
	}
	return diags
}

// forgotten reports whether a removed block leaves the node's objects to themselves.
func (n *node) forgotten() bool {
	removed := n.removedBlock()
	return removed != nil && !removed.Destroy
}

// removedBlock is the removed block that speaks of the node, or nil.
func (n *node) removedBlock() *configs.Removed {
	var find func(c *configs.Config) *configs.Removed
	find = func(c *configs.Config) *configs.Removed {
		for _, r := range c.Module.Removed {
			if speaksOf(c.Path, r.FromAddr, n.addr.ConfigResource()) {
				return r
			}
		}
		for _, name := range sortedKeys(c.Children) {
			if r := find(c.Children[name]); r != nil {
				return r
			}
		}
		return nil
	}
	return find(n.walk.config)
}

// speaksOf reports whether an address of a module is a block, or a module that
// has it.
func speaksOf(path addrs.Module, target addrs.Target, r addrs.ConfigResource) bool {
	named := slices.Concat(path, target.Module.Module())
	if target.Resource != (addrs.Resource{}) {
		return target.Resource == r.Resource && named.Equal(r.Module)
	}
	return len(named) <= len(r.Module) && named.Equal(r.Module[:len(named)])
}

// orphanBlocks are vertices for resources that only the state has.
func (b *builder) orphanBlocks() {
	if b.importing() {
		return
	}
	seen := map[string][]stored{}
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
			return eachOf(instances, func(s stored) tfdiags.Diagnostics {
				if !b.wants(s.addr) {
					return nil
				}
				n, diags := b.orphan(s)
				if diags.HasErrors() {
					return diags
				}
				return n.limited(func() tfdiags.Diagnostics {
					var diags tfdiags.Diagnostics
					switch {
					case b.destroying():
						diags = n.planDestroyed(nil)
					default:
						diags = n.planOrphan(b.missingReason(s.addr), nil)
					}
					diags = append(diags, n.planDeposed()...)
					return diags.WithAddress(n.text)
				})
			})
		})
		for _, s := range instances {
			b.graph.connect(v, b.storedProvider(s.provider))
		}
	}
}

// missingReason tells a resource that is gone from a module that is gone.
func (w *walk) missingReason(addr addrs.AbsResourceInstance) plans.ActionReason {
	if w.config.Descendant(addr.Module.Module()) == nil {
		return plans.DeleteBecauseNoModule
	}
	return plans.DeleteBecauseNoResourceConfig
}

// orphan is the node of an instance that configuration has no block for.
func (w *walk) orphan(s stored) (*node, tfdiags.Diagnostics) {
	p, diags := w.providers.ensure(s.provider)
	if diags.HasErrors() {
		return nil, diags
	}
	schema := p.schema.managed[s.addr.Resource.Resource.Type]
	if schema == nil {
		return nil, tfdiags.Diagnostics{}.Errorf(s.addr.String(), "no schema available for "+s.addr.String()+" while reading state",
			"The provider %s does not know the resource type %s of an object that the state has.", s.provider.Provider, s.addr.Resource.Resource.Type)
	}
	return w.node(s.addr, w.config.Descendant(s.addr.Module.Module()), nil, repetition{}, p, schema), nil
}

// storedProvider is the vertex of a provider configuration that the state names.
func (b *builder) storedProvider(addr addrs.AbsProviderConfig) *vertex {
	if v := b.graph.get(addr.String()); v != nil {
		return v
	}
	if block := b.config.ProviderBlock(addr); block != nil {
		return b.provider(addr, b.config.Descendant(addr.Module), block)
	}
	if addr.Alias != "" || !addr.Module.IsRoot() {
		b.diags = b.diags.Errorf("", "Provider configuration not present",
			"The state has objects of %s, whose configuration is not there anymore, so they cannot be destroyed. Put the provider configuration back, and remove it after the objects.", addr)
		return nil
	}
	return b.provider(addr, b.config, nil)
}

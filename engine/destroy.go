package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// destroying reports whether the walk plans or makes a destruction of everything.
func (w *walk) destroying() bool {
	return w.opts.Mode == plans.DestroyMode
}

// planDestroyAll plans the deletion of all instances of the block that the state
// has. Expressions see them as they are: a provider's configuration may name them.
func (b *block) planDestroyAll() tfdiags.Diagnostics {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return diags
	}
	want := b.resource.Addr.InModule(b.config.Path).String()
	found := storedIn(b.previous, func(r addrs.ConfigResource) bool { return r.String() == want })
	b.expandStored(found)
	return append(diags, eachOf(found, func(s stored) tfdiags.Diagnostics {
		n := b.node(s.addr, b.config, nil, repetition{}, p, b.schema)
		return n.limited(func() tfdiags.Diagnostics {
			if s.addr.Resource.Resource.Mode == addrs.DataResourceMode {
				n.forgetData()
				return nil
			}
			if b.resource.Managed.PreventDestroy && n.state.ResourceInstanceObject(s.addr, states.CurrentGen) != nil {
				inner := *n
				inner.block = b.resource
				return inner.preventDestroy()
			}
			diags := n.planDestroyed()
			return append(diags, n.planDeposed()...).WithAddress(n.text)
		})
	})...)
}

// planDestroyed plans the deletion of one object of the state.
func (n *node) planDestroyed() tfdiags.Diagnostics {
	obj, diags := n.refreshed()
	if diags.HasErrors() || obj == nil {
		return diags
	}
	n.objects.set(n.addr, n.visible(obj.Value, obj.SensitivePaths))
	if removed := n.removedBlock(); removed != nil && !removed.Destroy {
		n.changes.add(&plans.ResourceInstanceChange{
			Addr: n.addr, PrevRunAddr: n.previousAddr(), Provider: n.provider.addr, Action: plans.Forget,
			Before: marked(obj), After: marked(obj), BeforeIdentity: obj.Identity, Private: obj.Private,
		})
		return diags
	}
	change, said := n.planDestroy(obj, states.NotDeposed, plans.NoReason)
	diags = append(diags, said...)
	if change != nil {
		n.changes.add(change)
	}
	return diags
}

// expandStored records which instances the state has of a block.
func (w *walk) expandStored(found []stored) {
	byResource := map[string][]stored{}
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
		w.objects.expand(group[0].addr.ContainingResource(), mode, keys)
	}
}

// forgetData makes the stored value of a data source visible; a destruction
// drops it.
func (n *node) forgetData() {
	n.objects.set(n.addr, cty.DynamicVal)
	n.showStored()
}

package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
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
	found := b.stored()
	b.expandStored(found)
	return append(diags, eachOf(found, func(s stored) tfdiags.Diagnostics {
		n := b.node(s.addr, b.config, nil, repetition{}, p, b.schema)
		if !b.wants(s.addr) {
			n.showStored()
			return nil
		}
		return n.limited(func() tfdiags.Diagnostics {
			if s.addr.Resource.Resource.Mode == addrs.DataResourceMode {
				n.forgetData()
				return nil
			}
			diags := n.planDestroyed(b.resource)
			return append(diags, n.planDeposed()...).WithAddress(n.text)
		})
	})...)
}

// planDestroyed plans the deletion of one object of the state; block is the one that
// it is of, or nil.
func (n *node) planDestroyed(block *configs.Resource) tfdiags.Diagnostics {
	n.showStored()
	return n.planOrphan(plans.NoReason, block)
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
		w.objects.expand(group[0].addr.ContainingResource(), expansion{mode: mode, keys: keys})
	}
}

// forgetData makes the stored value of a data source visible; a destruction
// drops it.
func (n *node) forgetData() {
	n.objects.set(n.addr, cty.DynamicVal)
	n.showStored()
}

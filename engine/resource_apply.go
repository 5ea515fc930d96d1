package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// instanceNode is the node of an instance of the block.
func (b *block) instanceNode(addr addrs.AbsResourceInstance) (*node, tfdiags.Diagnostics) {
	p, diags := b.providers.ensure(b.provider)
	if diags.HasErrors() {
		return nil, diags
	}
	return b.node(addr, b.config, b.resource, b.objects.repetition(addr), p, b.schema), diags
}

// applyInstance makes one change true.
func (b *block) applyInstance(c *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	n, diags := b.instanceNode(c.Addr)
	if diags.HasErrors() {
		return diags
	}
	return n.limited(func() tfdiags.Diagnostics {
		if c.Action == plans.Read {
			return n.applyData().WithAddress(n.text)
		}
		return n.applyManaged(c).WithAddress(n.text)
	})
}

// applyData reads a data source that the plan put off.
func (n *node) applyData() tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	config, said := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, said...)
	if diags.HasErrors() {
		return n.inCheck(diags)
	}
	bare, sensitive := unmarkForProvider(config)
	return append(diags, n.readData(bare, pathsOf(sensitive))...)
}

// applyManaged plans once more, compares, and lets the provider act.
func (n *node) applyManaged(first *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	if first.Action == plans.NoOp {
		return n.applyNoOp(first)
	}
	var diags tfdiags.Diagnostics
	if first.Action == plans.CreateThenDelete {
		n.deposed.set(n.text, n.state.DeposeResourceInstanceObject(n.addr))
	}
	prior, said := n.current()
	diags = append(diags, said...)
	diags = append(diags, n.preconditions()...)
	if diags.HasErrors() {
		n.restoreDeposed()
		return diags
	}
	// What was tainted is gone or put away by now.
	final, said := n.planChange(prior, n.finalWhy(first))
	diags = append(diags, said...)
	if !diags.HasErrors() {
		diags = append(diags, n.checkFinalPlan(first, final.change)...)
	}
	if diags.HasErrors() {
		n.restoreDeposed()
		return diags
	}
	change := *final.change
	if change.Action.IsReplace() {
		change.Action = plans.Create
	}
	result, said := n.applyChange(&change, prior, final.config, final.obj.SensitivePaths, n.mergeDependencies(nil))
	diags = append(diags, said...)
	obj := result.obj
	if !result.kept {
		if obj != nil {
			if said := n.checkStorable(obj); said.HasErrors() {
				return append(diags, said...)
			}
		}
		diags = append(diags, n.save(n.state, obj)...)
	}
	if diags.HasErrors() {
		n.restoreDeposed()
		return diags
	}
	value := n.unknownValue()
	if obj != nil {
		value = n.visible(obj.Value, obj.SensitivePaths)
	}
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

// finalWhy is what made the first plan a replacement.
func (n *node) finalWhy(first *plans.ResourceInstanceChange) replaceWhy {
	return replaceWhy{createFirst: first.Action == plans.CreateThenDelete || n.createFirst()}
}

// applyNoOp looks at the conditions of an object that stays as it is.
func (n *node) applyNoOp(first *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	value := visible(n.schema.Body, first.After, nil)
	n.objects.set(n.addr, value)
	return append(diags, n.postconditions(value)...)
}

// restoreDeposed makes an object current again that was put away for one that
// could not be made.
func (n *node) restoreDeposed() {
	key := n.deposed.get(n.text)
	if key != states.NotDeposed {
		n.state.MaybeRestoreResourceInstanceDeposed(n.addr, key)
	}
}

// destroyInstance deletes or forgets the old object of a change.
func (b *builder) destroyInstance(c *plans.ResourceInstanceChange) tfdiags.Diagnostics {
	n, diags := b.orphan(stored{addr: c.Addr, provider: c.Provider})
	if diags.HasErrors() {
		return diags
	}
	return n.limited(func() tfdiags.Diagnostics { return n.destroy(c).WithAddress(n.text) })
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
		if key = n.deposed.get(n.text); key == states.NotDeposed {
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
		planned, said := n.planDestroy(obj, key, plans.NoReason)
		diags = append(diags, said...)
		if diags.HasErrors() {
			return diags
		}
		change = *planned
	case c.Action == plans.DeleteThenCreate:
		change.AfterIdentity = cty.NilVal // it would be the new object's
	}
	result, said := n.applyChange(&change, obj, cty.NilVal, obj.SensitivePaths, obj.Dependencies)
	diags = append(diags, said...)
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

// marked is an object of the state as a change has it.
func marked(obj *states.ResourceInstanceObject) cty.Value {
	return lang.MarkPaths(obj.Value, obj.SensitivePaths, lang.Sensitive)
}

// mergeDependencies are both, sorted, each once.
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

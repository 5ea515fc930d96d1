package engine

import (
	"slices"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

func applyName(addr string) string { return addr + " (apply)" }

func destroyName(c *plans.ResourceInstanceChange) string {
	if c.DeposedKey != states.NotDeposed {
		return c.Addr.String() + " (destroy deposed " + string(c.DeposedKey) + ")"
	}
	return c.Addr.String() + " (destroy)"
}

// step is a change with its vertices.
type step struct {
	change *plans.ResourceInstanceChange
	create *vertex // creates, updates or reads the object, or checks an unchanged one; may be nil
	delete *vertex // deletes or forgets the old object; may be nil
	// createFirst is set if the new object is created before the old one is deleted, or if an
	// object that the state stores with create_before_destroy is deleted.
	createFirst bool
	// needs are the blocks that the old object depended on.
	needs []addrs.ConfigResource
}

// steps adds the vertices of a plan's changes.
func (b *builder) steps() {
	byBlock := map[string]*block{}
	for _, bl := range b.applies {
		byBlock[bl.addr().String()] = bl
	}
	var steps []*step
	for _, c := range b.plan.Changes {
		name := c.Addr.ConfigResource().String()
		steps = append(steps, b.step(c, name, byBlock[name]))
	}
	b.openInstanceGates(steps)
	b.findCreateFirst(steps, byBlock)
	b.order(steps)
	b.orderCheckData(steps, byBlock)
}

// orderCheckData makes the reads of data sources of check blocks wait until all managed objects are
// created or updated.
func (b *builder) orderCheckData(steps []*step, blocks map[string]*block) {
	inCheck := func(s *step) bool {
		return s.create != nil && blocks[s.change.Addr.ConfigResource().String()].resource.InCheck != ""
	}
	if !slices.ContainsFunc(steps, inCheck) {
		return
	}
	gate := b.graph.add("(all objects are applied)", nil)
	for _, s := range steps {
		switch {
		case inCheck(s):
			b.graph.connect(s.create, gate)
		case s.change.Addr.Resource.Resource.Mode == addrs.ManagedResourceMode:
			b.graph.connect(gate, s.create)
		}
	}
}

// openInstanceGates makes references to single instances wait for the changes of these
// instances instead of those of the whole block.
func (b *builder) openInstanceGates(steps []*step) {
	made := map[instanceGate][]*vertex{}
	for _, s := range steps {
		if s.create != nil {
			of := instanceGate{s.change.Addr.ConfigResource().String(), s.change.Addr.Resource.Key}
			made[of] = append(made[of], s.create)
		}
	}
	for v, of := range b.instanceGates {
		delete(v.needs, b.graph.get(of.block))
		b.graph.connect(v, b.graph.get(prepareName(of.block)))
		for _, create := range made[of] {
			b.graph.connect(v, create)
		}
	}
}

// findCreateFirst finds the objects that the state stores with create_before_destroy: those
// of blocks with that argument, those that are replaced create-first, and the changed
// dependencies of these objects. Unchanged objects without conditions do not count.
func (b *builder) findCreateFirst(steps []*step, blocks map[string]*block) {
	first := map[*vertex]bool{}
	for _, s := range steps {
		if s.create == nil {
			continue
		}
		r := blocks[s.change.Addr.ConfigResource().String()].resource
		visited := s.change.Action != plans.NoOp || len(r.Preconditions)+len(r.Postconditions) > 0
		first[s.create] = visited && (r.Managed.CreateBeforeDestroy || s.createFirst)
	}
	for v := range b.needed(func(v *vertex) bool { return first[v] }) {
		b.deps.createFirst[v.name] = true
	}
}

func (b *builder) step(c *plans.ResourceInstanceChange, name string, bl *block) *step {
	s := &step{change: c, needs: b.storedDependencies(c)}
	provider := b.graph.get(c.Provider.String())
	if provider == nil {
		provider = b.storedProvider(c.Provider)
	}
	creates := c.DeposedKey == states.NotDeposed && bl != nil &&
		(c.Action == plans.Create || c.Action == plans.Update || c.Action == plans.Read || c.Action == plans.NoOp || c.Action.IsReplace())
	if creates && b.opts.Mode != plans.DestroyMode {
		s.create = b.graph.add(applyName(c.Addr.String()), func() tfdiags.Diagnostics { return bl.applyInstance(c) })
		b.graph.connect(s.create, b.graph.get(prepareName(name)))
		b.graph.connect(s.create, provider)
		b.graph.connect(b.graph.get(name), s.create)
	}
	if c.Action == plans.Delete || c.Action == plans.Forget || c.Action.IsReplace() {
		s.createFirst = c.Action == plans.CreateThenDelete || (c.Action == plans.Delete && b.wasCreateFirst(c))
		s.delete = b.graph.add(destroyName(c), func() tfdiags.Diagnostics { return b.destroyInstance(c) })
		b.graph.connect(s.delete, provider)
		b.deleted[s.delete] = c.Addr
	}
	b.invokeActions(s)
	return s
}

// storedDependencies returns the blocks that the object of a change depended on when the
// object was applied.
func (b *builder) storedDependencies(c *plans.ResourceInstanceChange) []addrs.ConfigResource {
	gen := states.CurrentGen
	if c.DeposedKey != states.NotDeposed {
		gen = c.DeposedKey.Generation()
	}
	if src := b.state.ResourceInstanceObject(c.Addr, gen); src != nil {
		return src.Dependencies
	}
	return nil
}

func (b *builder) wasCreateFirst(c *plans.ResourceInstanceChange) bool {
	src := b.state.ResourceInstanceObject(c.Addr, states.CurrentGen)
	return src != nil && c.DeposedKey == states.NotDeposed && src.CreateBeforeDestroy
}

// order connects the steps that delete objects to the other steps. The users of an object (the
// objects that depended on it) are deleted before the object is deleted, and before it is created
// or changed. Create-first users are deleted after it is created or changed.
func (b *builder) order(steps []*step) {
	byBlock := map[string][]*step{}
	for _, s := range steps {
		name := s.change.Addr.ConfigResource().String()
		byBlock[name] = append(byBlock[name], s)
	}
	for _, s := range steps {
		// A replacement is a create and a delete, in either order.
		switch s.change.Action {
		case plans.DeleteThenCreate:
			b.graph.connect(s.create, s.delete)
		case plans.CreateThenDelete:
			b.graph.connect(s.delete, s.create)
		}
		for _, needed := range s.needs {
			if byBlock[needed.String()] != nil {
				b.orderUser(s, usedBy(s.change.Addr.Module, needed))
			}
		}
	}
	for name, used := range byBlock {
		for _, s := range used {
			b.orderUsed(s, name)
			b.orderUsed(s, within(name, s.change.Addr.Module))
		}
	}
	// If the successor is created first, the old object is deleted after all users are
	// changed to use the successor.
	for _, s := range steps {
		if s.create == nil {
			continue
		}
		uses := slices.Concat(s.needs, b.deps.dependencies[s.change.Addr.ConfigResource().String()])
		for _, r := range uses {
			if byBlock[r.String()] != nil {
				b.graph.connect(b.graph.add(gateUsersMade(usedBy(s.change.Addr.Module, r)), nil), s.create)
			}
		}
	}
	for name, used := range byBlock {
		for _, s := range used {
			if s.delete != nil && s.createFirst {
				b.graph.connect(s.delete, b.graph.get(gateUsersMade(name)))
				b.graph.connect(s.delete, b.graph.get(gateUsersMade(within(name, s.change.Addr.Module))))
			}
		}
	}
}

// usedBy returns the part of the names of gates for the objects of block r that an object
// in the module instance m depended on: those in the same module instance if r is in the
// same module, and those in all module instances otherwise.
func usedBy(m addrs.ModuleInstance, r addrs.ConfigResource) string {
	if r.Module.Equal(m.Module()) {
		return within(r.String(), m)
	}
	return r.String()
}

// within returns the part of the names of gates for the objects of a block in one
// instance of its module.
func within(block string, m addrs.ModuleInstance) string { return block + " in " + m.String() }

// gateUsersDeleted and the functions below return the names of gates. A gate is a vertex
// between all steps of one block and all those of a second block: n and m instances need n+m edges
// instead of n*m. The names are in parentheses and are never shown.
func gateUsersDeleted(block string) string { return "(users of " + block + " are deleted)" }
func gateUsersGone(block string) string    { return "(users of " + block + " are gone)" }
func gateUsersMade(block string) string    { return "(users of " + block + " are made)" }
func gateMade(block string) string         { return "(" + block + " is made)" }
func gateDeleted(block string) string      { return "(" + block + " is deleted)" }

// orderUser orders the steps of an object relative to those of a block that it depended on.
func (b *builder) orderUser(s *step, used string) {
	if s.delete != nil {
		b.graph.connect(b.graph.add(gateUsersDeleted(used), nil), s.delete)
		if s.createFirst {
			b.graph.connect(s.delete, b.graph.add(gateMade(used), nil))
		} else {
			b.graph.connect(b.graph.add(gateUsersGone(used), nil), s.delete)
		}
	}
	if s.create != nil && s.change.Action != plans.NoOp {
		b.graph.connect(s.create, b.graph.add(gateDeleted(used), nil))
	}
}

// orderUsed orders the steps of an object relative to those of its users.
func (b *builder) orderUsed(s *step, block string) {
	if s.delete != nil {
		b.graph.connect(s.delete, b.graph.get(gateUsersDeleted(block)))
		if !s.createFirst && s.change.Action != plans.DeleteThenCreate {
			b.graph.connect(b.graph.get(gateDeleted(block)), s.delete)
		}
	}
	if s.create != nil {
		b.graph.connect(s.create, b.graph.get(gateUsersGone(block))) // users are deleted before the object changes
		b.graph.connect(b.graph.get(gateMade(block)), s.create)      // create-first users are deleted after it changes
	}
}

// prepare makes the instances of a block visible to expressions before they are
// applied.
func (b *block) prepare() tfdiags.Diagnostics {
	if b.destroying() {
		found := b.stored()
		b.expandStored(found)
		for _, s := range found {
			b.node(s.addr, b.config, nil, repetition{}, nil, b.schema).showStored()
		}
		return nil
	}
	nodes, diags := b.expandAll()
	if b.opts.Mode == plans.RefreshOnlyMode {
		nodes = nil
		for _, s := range b.stored() {
			nodes = append(nodes, b.node(s.addr, b.config, nil, repetition{}, nil, b.schema))
		}
	}
	for _, n := range nodes {
		n.showStored()
	}
	return diags
}

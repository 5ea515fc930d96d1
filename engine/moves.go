package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// applyMoves moves objects to new addresses, for moved blocks and for blocks and modules that
// got or lost count. It returns the errors of removed blocks and of targets that exclude moves.
// Errors in moved blocks are reported after the plan, which is made regardless.
func (w *walk) applyMoves() tfdiags.Diagnostics {
	w.moves = map[string]addrs.AbsResourceInstance{}
	w.retyped = map[string]addrs.AbsResourceInstance{}
	w.retypedFrom = map[string]addrs.Provider{}
	var statements []moveStatement
	var collect func(c *configs.Config)
	collect = func(c *configs.Config) {
		for _, m := range c.Module.Moved {
			s := moveStatement{module: c.Path, from: m.FromAddr, to: m.ToAddr, where: m.DeclRange}
			w.moveProblems = append(w.moveProblems, w.checkMoved(c, s, m)...)
			w.moveProblems = append(w.moveProblems, s.ambiguous(statements)...)
			statements = append(statements, s)
		}
		for _, name := range sortedKeys(c.Children) {
			collect(c.Children[name])
		}
	}
	collect(w.config)
	ordered, problems := inOrder(slices.Concat(statements, w.impliedMoves(w.config, statements)))
	w.moveProblems = append(w.moveProblems, problems...)
	for _, s := range ordered {
		w.blockedMoves = append(w.blockedMoves, w.move(s)...)
		if !s.implied {
			w.moveStatements = append(w.moveStatements, s)
		}
	}
	w.state = w.previous.DeepCopy().SyncWrapper()
	var diags tfdiags.Diagnostics
	if w.opts.Mode == plans.NormalMode && !w.importing() { // the blocks have no effect in other runs
		diags = w.checkRemoved(w.config)
	}
	return append(diags, w.excludedMoves()...)
}

// excludedMoves returns an error if an object has moved and the targets exclude its old
// or new address.
func (w *walk) excludedMoves() tfdiags.Diagnostics {
	var excluded []string
	for _, to := range sortedKeys(w.moves) {
		addr, err := addrs.ParseAbsResourceInstanceStr(to)
		if err == nil && len(w.targets) > 0 && !(w.containedInTarget(addr) && w.containedInTarget(w.moves[to])) {
			excluded = append(excluded, to)
		}
	}
	if len(excluded) == 0 {
		return nil
	}
	return tfdiags.Diagnostics{}.Errorf("", "Moved resource instances excluded by targeting",
		"Resource instances have new addresses, and the targets exclude the new or the old addresses. To include the instances, target both addresses of each. The new addresses are:\n  %s", strings.Join(excluded, "\n  "))
}

// moveStatement is a moved block or an implied move. The addresses are relative to the module.
type moveStatement struct {
	module   addrs.Module
	from, to addrs.Target
	where    hcl.Range
	// implied means that no moved block has the statement, which is then about one instance.
	implied bool
}

// ambiguous returns an error if the statement conflicts with an earlier one about the
// same source or destination.
func (s moveStatement) ambiguous(earlier []moveStatement) tfdiags.Diagnostics {
	for _, e := range earlier {
		sameFrom, sameTo := e.from.String() == s.from.String(), e.to.String() == s.to.String()
		if !e.module.Equal(s.module) || e.anyKey() != s.anyKey() || sameFrom == sameTo {
			continue
		}
		return errorAt(s.where, "Ambiguous move statements", e.from.String()+" has moved to "+e.to.String()+
			", and "+s.from.String()+" to "+s.to.String()+". An address can be the source of only one statement, and the destination of only one.")
	}
	return nil
}

// checkMoved returns an error if both addresses are the same, or if the configuration still
// has the object at its old address.
func (w *walk) checkMoved(c *configs.Config, s moveStatement, m *configs.Moved) tfdiags.Diagnostics {
	if s.from.String() == s.to.String() {
		return errorAt(m.DeclRange, "Redundant move statement", "This statement moves "+s.from.String()+" to its own address. Remove it.")
	}
	from, key := c, s.from.Key
	for _, step := range s.from.Module {
		if from = from.Children[step.Name]; from == nil {
			return nil
		}
		key = step.InstanceKey
	}
	declared := false
	if s.from.Resource == (addrs.Resource{}) {
		call := from.Parent.Module.ModuleCalls[from.Path[len(from.Path)-1]]
		declared = s.anyKey() || key == addrs.NoKey && call.Count == nil && call.ForEach == nil && call.Enabled == nil
	} else if r := from.Module.Resources[s.from.Resource]; r != nil {
		declared = s.anyKey() || s.from.Key == addrs.NoKey && r.Count == nil && r.ForEach == nil && r.Enabled == nil
	}
	if !declared {
		return nil
	}
	return s.stillExists()
}

// stillDeclared returns an error for each statement about an instance that the configuration
// still has. It must be called after the plan, which determines the instances.
func (w *walk) stillDeclared() tfdiags.Diagnostics {
	if w.destroying() {
		return nil
	}
	var diags tfdiags.Diagnostics
	for _, s := range w.moveStatements {
		for _, m := range w.moduleInstances(s.module) {
			if !s.anyKey() && w.declares(slices.Concat(m.addr, s.from.Module), s.from) {
				diags = append(diags, s.stillExists()...)
				break
			}
		}
	}
	return diags
}

// declares reports whether the plan has the target's instance. It returns false if the target has
// no key and its block does not have enabled.
func (w *walk) declares(m addrs.ModuleInstance, t addrs.Target) bool {
	if t.Resource != (addrs.Resource{}) {
		_, block := w.blockAt(t.Resource.InModule(m.Module()))
		return (t.Key != addrs.NoKey || block != nil && block.Enabled != nil) && w.objects.has(t.Resource.Instance(t.Key).Absolute(m))
	}
	if lastKey(m) == addrs.NoKey {
		child := w.config.Descendant(m.Module())
		if child == nil || child.Parent.Module.ModuleCalls[m[len(m)-1].Name].Enabled == nil {
			return false
		}
	}
	return slices.ContainsFunc(w.moduleInstances(m.Module()), func(i moduleInstance) bool { return i.addr.Equal(m) })
}

func (s moveStatement) stillExists() tfdiags.Diagnostics {
	return errorAt(s.where, "Moved object still exists", s.from.String()+" has moved to "+s.to.String()+", but the configuration still has it under its old address. Rename it or remove this statement.")
}

// move executes a statement. It returns a warning for each object that cannot be moved because
// its destination exists.
func (w *walk) move(s moveStatement) tfdiags.Diagnostics {
	pairs := slices.DeleteFunc(w.movable(s), func(p movePair) bool { return p.from.Equal(p.to) })
	taken := make([]bool, len(pairs)) // before any object moves
	for i, p := range pairs {
		taken[i] = w.taken(s, p.to)
	}
	var diags tfdiags.Diagnostics
	for i, p := range pairs {
		if taken[i] {
			diags = diags.Warnf(p.from.String(), "Unresolved resource instance address changes",
				"%s cannot be moved to %s, because that object, its resource or its module exists already. The first object keeps its address, and is destroyed if the configuration does not have it.", p.from, p.to)
			continue
		}
		w.moveObject(p)
	}
	return diags
}

// taken reports whether the destination of a statement, which moves an object to the address,
// exists. As in core, a statement about a module moves nothing to a module that has any objects, and one
// about all instances of a resource moves nothing to a resource that has any.
func (w *walk) taken(s moveStatement, to addrs.AbsResourceInstance) bool {
	switch {
	case s.from.Resource == (addrs.Resource{}):
		m := w.previous.Module(to.Module)
		return m != nil && len(m.Resources) > 0
	case s.anyKey():
		r := w.previous.Resource(to.ContainingResource())
		return r != nil && len(r.Instances) > 0
	default:
		return w.previous.ResourceInstance(to) != nil
	}
}

// moveObject moves an object to an address that has none.
func (w *walk) moveObject(p movePair) {
	if !w.previous.MoveResourceInstance(p.from, p.to) {
		return
	}
	origin, key := p.from, p.from.String()
	if first, ok := w.moves[key]; ok {
		origin = first
		delete(w.moves, key)
	}
	w.moves[p.to.String()] = origin
	delete(w.retyped, key)
	if origin.Resource.Resource.Type != p.to.Resource.Resource.Type {
		w.retyped[p.to.String()] = origin
		if _, ok := w.retypedFrom[origin.String()]; !ok {
			w.retypedFrom[origin.String()] = p.provider
		}
	}
}

// movePair is an object with its new address.
type movePair struct {
	from, to addrs.AbsResourceInstance
	provider addrs.Provider
}

// movable returns the objects in the state that a statement moves.
func (w *walk) movable(s moveStatement) []movePair {
	var pairs []movePair
	for _, st := range storedIn(w.previous, func(addrs.ConfigResource) bool { return true }) {
		if len(st.addr.Module) < len(s.module) || !st.addr.Module[:len(s.module)].Module().Equal(s.module) {
			continue
		}
		base := slices.Clip(st.addr.Module[:len(s.module)])
		rest := addrs.AbsResourceInstance{Module: st.addr.Module[len(s.module):], Resource: st.addr.Resource}
		if to, ok := s.apply(rest); ok {
			to.Module = append(base, to.Module...)
			pairs = append(pairs, movePair{st.addr, to, st.provider.Provider})
		}
	}
	return pairs
}

// checkRemoved returns errors for removed blocks of resources and modules that the
// configuration still has.
func (w *walk) checkRemoved(c *configs.Config) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, r := range c.Module.Removed {
		at := c.Descendant(r.FromAddr.Module.Module())
		if at == nil {
			continue
		}
		kind, address := "module", at.Path.String()
		if r.FromAddr.Resource != (addrs.Resource{}) {
			if at.Module.Resources[r.FromAddr.Resource] == nil {
				continue
			}
			kind, address = "resource", r.FromAddr.Resource.InModule(at.Path).String()
		}
		summary := "Removed " + kind + " block still exists"
		if w.options.Flavor == Terraform {
			summary = "Removed " + kind + " still exists"
		}
		diags = append(diags, tfdiags.Diagnostic{
			Address: address, Summary: summary, Subject: &r.DeclRange,
			Detail: "This statement removes " + address + ", which is still in the configuration. Remove its block or this statement.",
		})
	}
	for _, name := range sortedKeys(c.Children) {
		diags = append(diags, w.checkRemoved(c.Children[name])...)
	}
	return diags
}

// apply returns the new address of an object, and whether the statement moves the object. Both
// addresses are relative to the module of the statement.
func (s moveStatement) apply(r addrs.AbsResourceInstance) (addrs.AbsResourceInstance, bool) {
	from, to := s.from, s.to
	if len(r.Module) < len(from.Module) {
		return r, false
	}
	whole, anyKey := from.Resource == (addrs.Resource{}), s.anyKey()
	for i, step := range from.Module {
		last := i == len(from.Module)-1
		if step.Name != r.Module[i].Name || step.InstanceKey != r.Module[i].InstanceKey && !(whole && last && anyKey) {
			return r, false
		}
	}
	out := addrs.AbsResourceInstance{Resource: r.Resource}
	out.Module = append(out.Module, to.Module...)
	if whole {
		if anyKey {
			out.Module[len(out.Module)-1].InstanceKey = r.Module[len(from.Module)-1].InstanceKey
		}
		out.Module = append(out.Module, r.Module[len(from.Module):]...)
		return out, true
	}
	if len(r.Module) != len(from.Module) || r.Resource.Resource != from.Resource || !anyKey && r.Resource.Key != from.Key {
		return r, false
	}
	out.Resource.Resource = to.Resource
	if !anyKey {
		out.Resource.Key = to.Key
	}
	return out, true
}

// anyKey reports whether neither end has an instance key: all instances are moved and keep
// their keys.
func (s moveStatement) anyKey() bool {
	if s.from.Resource == (addrs.Resource{}) {
		return lastKey(s.from.Module) == addrs.NoKey && lastKey(s.to.Module) == addrs.NoKey
	}
	return s.from.Key == addrs.NoKey && s.to.Key == addrs.NoKey
}

func lastKey(m addrs.ModuleInstance) addrs.InstanceKey {
	if len(m) == 0 {
		return addrs.NoKey
	}
	return m[len(m)-1].InstanceKey
}

// impliedMoves returns the moves of managed resources that got or lost count: the only instance
// and the first one are the same object, unless a statement moves objects from or to the block. In
// OpenTofu, this also applies to modules, unless a statement is about the module or an object in it.
func (w *walk) impliedMoves(c *configs.Config, statements []moveStatement) []moveStatement {
	var implied []moveStatement
	for _, key := range sortedResources(c.Module.Resources) {
		r := c.Module.Resources[key]
		if r.Addr.Mode != addrs.ManagedResourceMode || r.ForEach != nil {
			continue
		}
		want := r.Addr.InModule(c.Path)
		if slices.ContainsFunc(statements, func(s moveStatement) bool { return s.names(want) }) {
			continue
		}
		for _, st := range instancesOf(w.previous.Resources(want)) {
			to := st.addr
			switch {
			case r.Count != nil && st.addr.Resource.Key == addrs.NoKey:
				to.Resource.Key = addrs.IntKey(0)
			case r.Count == nil && st.addr.Resource.Key == addrs.InstanceKey(addrs.IntKey(0)):
				to.Resource.Key = addrs.NoKey
			default:
				continue
			}
			implied = append(implied, moveStatement{from: targetOf(st.addr), to: targetOf(to), where: r.DeclRange, implied: true})
		}
	}
	for _, name := range sortedKeys(c.Children) {
		child := c.Children[name]
		if w.options.Flavor == OpenTofu {
			implied = append(implied, w.impliedModuleMoves(child.Path, c.Module.ModuleCalls[name], statements)...)
		}
		implied = append(implied, w.impliedMoves(child, statements)...)
	}
	return implied
}

func targetOf(r addrs.AbsResourceInstance) addrs.Target {
	return addrs.Target{Module: r.Module, Resource: r.Resource.Resource, Key: r.Resource.Key}
}

// impliedModuleMoves returns the implied moves of the instances of the module at the path.
func (w *walk) impliedModuleMoves(path addrs.Module, call *configs.ModuleCall, statements []moveStatement) []moveStatement {
	if call.ForEach != nil {
		return nil
	}
	first := addrs.InstanceKey(addrs.IntKey(0))
	key := addrs.NoKey
	if call.Count != nil {
		key = first
	}
	var implied []moveStatement
	for _, m := range w.previous.ModuleInstances(path) {
		was := lastKey(m.Addr)
		if was == key || was != addrs.NoKey && was != first {
			continue
		}
		if slices.ContainsFunc(statements, func(s moveStatement) bool { return s.selects(m.Addr) }) {
			continue
		}
		to := slices.Clone(m.Addr)
		to[len(to)-1].InstanceKey = key
		implied = append(implied, moveStatement{from: addrs.Target{Module: m.Addr}, to: addrs.Target{Module: to}, where: call.DeclRange, implied: true})
	}
	return implied
}

// selects reports whether an end of the statement is or includes the module instance, or is an
// object directly in it.
func (s moveStatement) selects(m addrs.ModuleInstance) bool {
	return slices.ContainsFunc([]addrs.Target{s.from, s.to}, func(end addrs.Target) bool {
		path := slices.Concat(s.module.UnkeyedInstance(), end.Module)
		if len(path) != len(m) {
			return false
		}
		for i, step := range m {
			anyKey := i < len(s.module) || i == len(m)-1 && end.Resource == (addrs.Resource{}) && s.anyKey()
			if path[i].Name != step.Name || !anyKey && path[i].InstanceKey != step.InstanceKey {
				return false
			}
		}
		return true
	})
}

// names reports whether the statement moves objects from or to the block.
func (s moveStatement) names(r addrs.ConfigResource) bool {
	return slices.ContainsFunc([]addrs.Target{s.from, s.to}, func(end addrs.Target) bool {
		return end.Resource == r.Resource && slices.Concat(s.module, end.Module.Module()).Equal(r.Module)
	})
}

// retype converts an object of another type to the node's type, and saves it (docs/checks.md §13).
func (n *node) retype(src *states.ResourceInstanceObjectSrc, was addrs.AbsResourceInstance) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	if n.terraform() && !n.provider.schema.response.ServerCapabilities.MoveResourceState {
		return nil, n.errorf("Unsupported `moved` across resource types", "The provider %s does not support moving an object from another resource type.", n.provider.addr.Provider)
	}
	req := provider.MoveResourceStateRequest{
		SourceProviderAddress: n.retypedFrom[was.String()].String(), SourceTypeName: was.Resource.Resource.Type, SourceSchemaVersion: version(src.SchemaVersion),
		SourceStateJSON: src.AttrsJSON, SourcePrivate: src.Private, TargetTypeName: n.addr.Resource.Resource.Type,
	}
	if n.terraform() {
		req.SourceIdentity = src.IdentityJSON
	}
	resp := call(n.ctx, n.Engine, "MoveResourceState", n.text, n.provider.MoveResourceState, req)
	diags := n.providerDiags(resp.Diagnostics)
	if diags.HasErrors() {
		return nil, diags
	}
	v := valueOrNull(resp.TargetState, n.schema.ty)
	if n.terraform() {
		const summary = "Provider returned invalid value"
		if wo := n.checkWriteOnly(v, summary); len(wo) > 0 {
			return nil, append(diags, wo...)
		}
		if !v.IsWhollyKnown() {
			return nil, append(diags, n.providerErrorf(summary, "returned unknown values for the moved object %s.", n.text)...)
		}
	} else {
		if problem := typeProblem(v, n.schema.ty); problem != "" {
			return nil, append(diags, n.providerErrorf("Invalid resource state transformation", "returned an object for %s that does not match its schema: %s.", n.text, problem)...)
		}
		if wo := n.checkWriteOnly(v, ""); len(wo) > 0 {
			return nil, append(diags, wo...)
		}
		v = cty.UnknownAsNull(v)
	}
	var (
		id        cty.Value
		moreDiags tfdiags.Diagnostics
	)
	if n.terraform() {
		id, moreDiags = n.checkIdentity(resp.TargetIdentity, "MoveResourceState", identityRules{unknown: "Provider produced invalid identity"})
	} else { // OpenTofu keeps the old identity, as if it were of the new type
		id, moreDiags = n.upgradeIdentity(src)
	}
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return nil, diags
	}
	obj := &states.ResourceInstanceObject{
		Value: v, SensitivePaths: pathsIn(v, src.AttrSensitivePaths), Identity: id, Private: resp.TargetPrivate, Status: src.Status,
		Dependencies: src.Dependencies, CreateBeforeDestroy: src.CreateBeforeDestroy,
	}
	return obj, append(diags, n.save(n.state, obj)...)
}

// inOrder returns each statement once, in execution order: a move to an address
// precedes a move from it. The move of a module precedes moves of objects in it at its new
// address, and follows moves of objects in it at its old one.
func inOrder(statements []moveStatement) ([]moveStatement, tfdiags.Diagnostics) {
	g := newGraph()
	of := map[*vertex]moveStatement{}
	vertices := make([]*vertex, len(statements))
	for i, s := range statements {
		vertices[i] = g.add(s.text(s.from, 0)+" to "+s.text(s.to, 0)+" ("+strconv.Itoa(i+1)+")", nil)
		of[vertices[i]] = s
	}
	for i, s := range statements {
		for j, other := range statements {
			if i != j && s.after(other) {
				g.connect(vertices[i], vertices[j])
			}
		}
	}
	if names := g.cycle(); names != nil {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Cyclic dependency in move statements",
			"These statements move objects in a cycle:\n  - %s", strings.Join(names, "\n  - "))
	}
	out := make([]moveStatement, 0, len(statements))
	done := map[*vertex]bool{}
	var visit func(v *vertex)
	visit = func(v *vertex) {
		if done[v] {
			return
		}
		done[v] = true
		for _, n := range sortedVertices(v.needs) {
			visit(n)
		}
		out = append(out, of[v])
	}
	for _, v := range g.order {
		visit(v)
	}
	return out, nil
}

// text returns an address of the statement, relative to the root module. It omits the keys of the
// first modules; unkeyed is their number.
func (s moveStatement) text(t addrs.Target, unkeyed int) string {
	t.Module = slices.Concat(s.module.UnkeyedInstance(), t.Module)
	for i := range min(unkeyed, len(t.Module)) {
		t.Module[i].InstanceKey = addrs.NoKey
	}
	return t.String()
}

// after reports whether the statement must wait for the other one. A statement in a module
// is about all instances of the module.
func (s moveStatement) after(other moveStatement) bool {
	unkeyed := max(len(s.module), len(other.module))
	from, to, otherFrom, otherTo := s.text(s.from, unkeyed), s.text(s.to, unkeyed), other.text(other.from, unkeyed), other.text(other.to, unkeyed)
	if from == otherTo || s.hasInstance(from, other, otherFrom) || s.hasInstance(from, other, otherTo) ||
		other.hasInstance(otherTo, s, from) || other.hasInstance(otherTo, s, to) {
		return true
	}
	if !other.contains(otherTo, from) && !other.contains(otherTo, to) && !s.contains(from, otherFrom) && !s.contains(from, otherTo) {
		return false
	}
	// A module that only changes its key has the same name before and after, so statements in
	// it match its old and its new address. The module is moved first.
	return len(s.module) >= len(other.module) || !s.rekeys()
}

// hasInstance reports whether address, an end of the other statement, is an instance of block,
// an end of this statement. It returns false unless this statement moves all instances of a
// resource and the other statement moves one instance.
func (s moveStatement) hasInstance(block string, other moveStatement, address string) bool {
	if s.from.Resource == (addrs.Resource{}) || other.from.Resource == (addrs.Resource{}) || !s.anyKey() || other.anyKey() {
		return false
	}
	return address == block || strings.HasPrefix(address, block+"[")
}

// rekeys reports whether the statement moves a module and changes only keys in its address.
func (s moveStatement) rekeys() bool {
	return s.from.Resource == (addrs.Resource{}) && s.to.Resource == (addrs.Resource{}) && s.from.Module.Module().Equal(s.to.Module.Module())
}

// contains reports whether the address is in the module, which is an end of the statement. If the
// statement moves all instances of the module, the addresses of the instances are in the module too.
func (s moveStatement) contains(module, address string) bool {
	rest, found := strings.CutPrefix(address, module)
	return found && strings.HasPrefix(module, "module.") && (strings.HasPrefix(rest, ".") || s.anyKey() && strings.HasPrefix(rest, "["))
}

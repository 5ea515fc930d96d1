package engine

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// applyMoves gives objects the addresses that moved blocks, and blocks that got or
// lost count, ask for. What is wrong with the moves themselves is said after the
// plan, which is made as if nothing were.
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
	statements, problems := inOrder(statements)
	w.moveProblems = append(w.moveProblems, problems...)
	w.moveStatements = statements
	implied := w.impliedMoves(w.config, statements)
	for _, s := range statements {
		w.moveProblems = append(w.moveProblems, w.move(s)...)
	}
	for _, p := range implied {
		w.moveObject(p)
	}
	w.state = w.previous.DeepCopy().SyncWrapper()
	return append(w.checkRemoved(w.config), w.excludedMoves()...)
}

// excludedMoves is an error where an object has a new address and was not asked for:
// to plan the others would leave it at neither.
func (w *walk) excludedMoves() tfdiags.Diagnostics {
	asked := func(addr addrs.AbsResourceInstance) bool {
		return slices.ContainsFunc(w.targets, func(t addrs.Target) bool { return t.Contains(addr) })
	}
	var excluded []string
	for _, to := range sortedKeys(w.moves) {
		addr, err := addrs.ParseAbsResourceInstanceStr(to)
		if err == nil && len(w.targets) > 0 && !(asked(addr) && asked(w.moves[to])) {
			excluded = append(excluded, to)
		}
	}
	if len(excluded) == 0 {
		return nil
	}
	return tfdiags.Diagnostics{}.Errorf("", "Moved resource instances excluded by targeting",
		"Resource instances have new addresses, and the targets leave out the new or the old ones. To plan them as well, target these:\n  %s", strings.Join(excluded, "\n  "))
}

// moveStatement is a moved block with its addresses, relative to its module.
type moveStatement struct {
	module   addrs.Module
	from, to addrs.Target
	where    hcl.Range
}

// ambiguous is an error for a statement that moves from or to where an earlier one
// moves from or to, and does not agree with it.
func (s moveStatement) ambiguous(earlier []moveStatement) tfdiags.Diagnostics {
	for _, e := range earlier {
		sameFrom, sameTo := e.from.String() == s.from.String(), e.to.String() == s.to.String()
		if !e.module.Equal(s.module) || sameFrom == sameTo {
			continue
		}
		return at(s.where, "Ambiguous move statements", e.from.String()+" is said to have moved to "+e.to.String()+
			", and "+s.from.String()+" to "+s.to.String()+": an object comes from one place and goes to one.")
	}
	return nil
}

// checkMoved refuses a move away from what configuration still has.
func (w *walk) checkMoved(c *configs.Config, s moveStatement, m *configs.Moved) tfdiags.Diagnostics {
	if s.from.String() == s.to.String() {
		return at(m.DeclRange, "Redundant move statement", "This statement moves "+s.from.String()+" to where it is. Remove it.")
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
		declared = key == addrs.NoKey && call.Count == nil && call.ForEach == nil
	} else if r := from.Module.Resources[s.from.Resource]; r != nil {
		declared = s.from.Key == addrs.NoKey && r.Count == nil && r.ForEach == nil || s.from.Key == addrs.NoKey && s.to.Key == addrs.NoKey
	}
	if !declared {
		return nil
	}
	return s.stillExists()
}

// declaredStill is an error for each statement that moves an instance away which the
// configuration still has. It is known only after the plan.
func (w *walk) declaredStill() tfdiags.Diagnostics {
	if w.destroying() {
		return nil
	}
	var diags tfdiags.Diagnostics
	for _, s := range w.moveStatements {
		for _, m := range w.expanded.of(s.module) {
			if w.declares(slices.Concat(m.addr, s.from.Module), s.from) {
				diags = append(diags, s.stillExists()...)
				break
			}
		}
	}
	return diags
}

// declares reports whether the plan has the instance that a target with a key names.
func (w *walk) declares(m addrs.ModuleInstance, t addrs.Target) bool {
	if t.Resource != (addrs.Resource{}) {
		return t.Key != addrs.NoKey && w.objects.has(t.Resource.Instance(t.Key).Absolute(m))
	}
	return lastKey(m) != addrs.NoKey && slices.ContainsFunc(w.expanded.of(m.Module()), func(i moduleInstance) bool { return i.addr.Equal(m) })
}

func (s moveStatement) stillExists() tfdiags.Diagnostics {
	return at(s.where, "Moved object still exists", s.from.String()+" is to move to "+s.to.String()+", and configuration has it still under its old address. Rename it there, or remove this statement.")
}

// move applies a statement to all instances of its module. What cannot be moved,
// because there is an object already, is a warning.
func (w *walk) move(s moveStatement) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, p := range w.movable(s) {
		if !p.from.Equal(p.to) && !w.moveObject(p) && w.previous.ResourceInstance(p.to) != nil {
			diags = diags.Warnf(p.from.String(), "Unresolved resource instance address changes",
				"%s could not be moved to %s, because there is an object already. It stays where it is, and is destroyed if configuration does not have it.", p.from, p.to)
		}
	}
	return diags
}

// moveObject moves an object and reports whether it could.
func (w *walk) moveObject(p movePair) bool {
	if !w.previous.MoveResourceInstance(p.from, p.to) {
		return false
	}
	origin, key := p.from, p.from.String()
	if first, ok := w.moves[key]; ok {
		origin = first
		delete(w.moves, key)
	}
	w.moves[p.to.String()] = origin
	if p.from.Resource.Resource.Type != p.to.Resource.Resource.Type {
		w.retyped[p.to.String()] = origin
		w.retypedFrom[origin.String()] = p.provider
	}
	return true
}

// movePair is an object that a statement speaks of, and where it is to be.
type movePair struct {
	from, to addrs.AbsResourceInstance
	provider addrs.Provider
}

// movable are the objects of the state that a statement speaks of.
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

// checkRemoved refuses removed blocks of what configuration still has.
func (w *walk) checkRemoved(c *configs.Config) tfdiags.Diagnostics {
	summary := "Removed resource block still exists"
	if w.options.Flavor == Terraform {
		summary = "Removed resource still exists"
	}
	var diags tfdiags.Diagnostics
	for _, r := range c.Module.Removed {
		at := c.Descendant(r.FromAddr.Module.Module())
		if at == nil || r.FromAddr.Resource == (addrs.Resource{}) || at.Module.Resources[r.FromAddr.Resource] == nil {
			continue
		}
		address := r.FromAddr.Resource.InModule(at.Path).String()
		diags = append(diags, tfdiags.Diagnostic{
			Address: address, Summary: summary, Subject: &r.DeclRange,
			Detail: "This statement says that " + address + " was removed, but it is still in the configuration. Remove its block, or this statement.",
		})
	}
	for _, name := range sortedKeys(c.Children) {
		diags = append(diags, w.checkRemoved(c.Children[name])...)
	}
	return diags
}

// apply is where the statement moves an address, relative to its module.
func (s moveStatement) apply(r addrs.AbsResourceInstance) (addrs.AbsResourceInstance, bool) {
	from, to := s.from, s.to
	if len(r.Module) < len(from.Module) {
		return r, false
	}
	whole := from.Resource == (addrs.Resource{})
	var anyKey bool // neither end names an instance: all instances keep their keys
	if whole {
		anyKey = lastKey(from.Module) == addrs.NoKey && lastKey(to.Module) == addrs.NoKey
	} else {
		anyKey = from.Key == addrs.NoKey && to.Key == addrs.NoKey
	}
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

func lastKey(m addrs.ModuleInstance) addrs.InstanceKey {
	if len(m) == 0 {
		return addrs.NoKey
	}
	return m[len(m)-1].InstanceKey
}

// impliedMoves follow blocks that got or lost count: the only instance and the
// first one are the same object, unless a statement speaks of the block.
func (w *walk) impliedMoves(c *configs.Config, statements []moveStatement) []movePair {
	var pairs []movePair
	for _, key := range sortedResources(c.Module.Resources) {
		r := c.Module.Resources[key]
		if r.Addr.Mode != addrs.ManagedResourceMode || r.ForEach != nil {
			continue
		}
		want := r.Addr.InModule(c.Path)
		if slices.ContainsFunc(statements, func(s moveStatement) bool { return s.speaksOf(want) }) {
			continue
		}
		for _, st := range storedOf(w.previous, want) {
			to := st.addr
			switch {
			case r.Count != nil && st.addr.Resource.Key == addrs.NoKey:
				to.Resource.Key = addrs.IntKey(0)
			case r.Count == nil && st.addr.Resource.Key == addrs.InstanceKey(addrs.IntKey(0)):
				to.Resource.Key = addrs.NoKey
			default:
				continue
			}
			pairs = append(pairs, movePair{st.addr, to, st.provider.Provider})
		}
	}
	for _, name := range sortedKeys(c.Children) {
		pairs = append(pairs, w.impliedMoves(c.Children[name], statements)...)
	}
	return pairs
}

// speaksOf reports whether the statement moves objects of the block.
func (s moveStatement) speaksOf(r addrs.ConfigResource) bool {
	return s.from.Resource == r.Resource && slices.Concat(s.module, s.from.Module.Module()).Equal(r.Module)
}

// retype is CHECKS §13: the object of another type in the node's type.
func (n *node) retype(src *states.ResourceInstanceObjectSrc, was addrs.AbsResourceInstance) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	if n.terraform() && !n.provider.schema.response.ServerCapabilities.MoveResourceState {
		return nil, n.errorf("Unsupported `moved` across resource types", "An object of another type cannot become one of the provider %s, which does not offer that.", n.provider.addr.Provider)
	}
	req := provider.MoveResourceStateRequest{
		SourceProviderAddress: n.sourceProvider(was).String(), SourceTypeName: was.Resource.Resource.Type, SourceSchemaVersion: version(src.SchemaVersion),
		SourceStateJSON: src.AttrsJSON, SourcePrivate: src.Private, TargetTypeName: n.addr.Resource.Resource.Type,
	}
	if n.terraform() {
		req.SourceIdentity = src.IdentityJSON
	}
	resp := call(n.ctx, n.Engine, "MoveResourceState", n.text, n.provider.MoveResourceState, req)
	diags := n.said(resp.Diagnostics)
	if diags.HasErrors() {
		return nil, diags
	}
	v := null(resp.TargetState, n.schema.ty)
	if n.terraform() {
		const summary = "Provider returned invalid value"
		if wo := n.checkWriteOnly(v, summary); len(wo) > 0 {
			return nil, append(diags, wo...)
		}
		if !v.IsWhollyKnown() {
			return nil, append(diags, n.blame(summary, "returned values that are not known for the moved object %s.", n.text)...)
		}
	} else {
		if problem := conforms(v, n.schema.ty); problem != "" {
			return nil, append(diags, n.blame("Invalid resource state transformation", "returned an object for %s that is not of its schema: %s.", n.text, problem)...)
		}
		if wo := n.checkWriteOnly(v, ""); len(wo) > 0 {
			return nil, append(diags, wo...)
		}
		v = cty.UnknownAsNull(v)
	}
	var (
		id   cty.Value
		said tfdiags.Diagnostics
	)
	if n.terraform() {
		id, said = n.checkIdentity(resp.TargetIdentity, "MoveResourceState", identityRules{unknown: "Provider produced invalid identity"})
	} else { // OpenTofu keeps the old one, as if it were of the new type
		id, said = n.upgradeIdentity(src)
	}
	diags = append(diags, said...)
	if diags.HasErrors() {
		return nil, diags
	}
	obj := &states.ResourceInstanceObject{
		Value: v, SensitivePaths: pathsIn(v, src.AttrSensitivePaths), Identity: id, Private: resp.TargetPrivate, Status: src.Status,
		Dependencies: src.Dependencies, CreateBeforeDestroy: src.CreateBeforeDestroy,
	}
	return obj, append(diags, n.save(n.state, obj)...)
}

// sourceProvider is the provider of an object before it was moved.
func (n *node) sourceProvider(was addrs.AbsResourceInstance) addrs.Provider {
	return n.retypedFrom[was.String()]
}

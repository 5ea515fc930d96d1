package states

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// State is everything that is remembered. It is changed by its methods only and
// always has a root module.
type State struct {
	// Modules are keyed by the text of their address.
	Modules map[string]*Module
}

// NewState is a state without anything in it.
func NewState() *State {
	root := addrs.RootModuleInstance
	return &State{Modules: map[string]*Module{root.String(): NewModule(root)}}
}

// BuildState is the state that build makes.
func BuildState(build func(*SyncState)) *State {
	s := NewState()
	build(s.SyncWrapper())
	return s
}

// Empty reports whether there are neither resources nor output values.
func (s *State) Empty() bool {
	if s == nil {
		return true
	}
	for _, m := range s.Modules {
		if len(m.Resources) > 0 || len(m.OutputValues) > 0 {
			return false
		}
	}
	return true
}

// HasResources reports whether there is a resource of any mode.
func (s *State) HasResources() bool {
	if s == nil {
		return false
	}
	for _, m := range s.Modules {
		if len(m.Resources) > 0 {
			return true
		}
	}
	return false
}

// Module is the module instance of the address, nil if there is none.
func (s *State) Module(addr addrs.ModuleInstance) *Module {
	if s == nil {
		return nil
	}
	return s.Modules[addr.String()]
}

// RootModule is the root.
func (s *State) RootModule() *Module { return s.Module(addrs.RootModuleInstance) }

// EnsureModule is the module instance of the address, which it adds if need be.
func (s *State) EnsureModule(addr addrs.ModuleInstance) *Module {
	m := s.Module(addr)
	if m == nil {
		m = NewModule(addr)
		s.Modules[addr.String()] = m
	}
	return m
}

// RemoveModule removes a module instance with everything in it. It panics for
// the root, which cannot be removed.
func (s *State) RemoveModule(addr addrs.ModuleInstance) {
	if addr.IsRoot() {
		panic("states: the root module cannot be removed")
	}
	delete(s.Modules, addr.String())
}

// ModuleInstances are the instances of the static module, in order of their
// addresses.
func (s *State) ModuleInstances(addr addrs.Module) []*Module {
	var found []*Module
	for _, m := range s.sortedModules() {
		if m.Addr.Module().Equal(addr) {
			found = append(found, m)
		}
	}
	return found
}

// Resource is the resource of the address, nil if there is none.
func (s *State) Resource(addr addrs.AbsResource) *Resource {
	return s.Module(addr.Module).Resource(addr.Resource)
}

// Resources are those of the block in all instances of its module, in order of
// their addresses.
func (s *State) Resources(addr addrs.ConfigResource) []*Resource {
	var found []*Resource
	for _, m := range s.ModuleInstances(addr.Module) {
		if r := m.Resource(addr.Resource); r != nil {
			found = append(found, r)
		}
	}
	return found
}

// ResourceInstance is the instance of the address, nil if there is none.
func (s *State) ResourceInstance(addr addrs.AbsResourceInstance) *ResourceInstance {
	return s.Module(addr.Module).ResourceInstance(addr.Resource)
}

// OutputValue is the output value of the address, nil if there is none.
func (s *State) OutputValue(addr addrs.AbsOutputValue) *OutputValue {
	m := s.Module(addr.Module)
	if m == nil {
		return nil
	}
	return m.OutputValues[addr.OutputValue.Name]
}

// LocalValue is the local value of the address, cty.NilVal if there is none.
func (s *State) LocalValue(addr addrs.AbsLocalValue) cty.Value {
	m := s.Module(addr.Module)
	if m == nil {
		return cty.NilVal
	}
	return m.LocalValues[addr.LocalValue.Name]
}

// ModuleOutputs are the output values of all instances of the call in parent, in
// order of their addresses.
func (s *State) ModuleOutputs(parent addrs.ModuleInstance, call addrs.ModuleCall) []*OutputValue {
	var found []*OutputValue
	for _, m := range s.sortedModules() {
		if n := len(m.Addr); n == 0 || m.Addr[n-1].Name != call.Name || !m.Addr.Parent().Equal(parent) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(m.OutputValues)) {
			found = append(found, m.OutputValues[name])
		}
	}
	return found
}

// PruneResourceHusks removes the resources that have no instance left, and the
// modules that this empties. It is for the end of a destroy: otherwise a
// resource with none, whose count is 0, is worth remembering.
func (s *State) PruneResourceHusks() {
	for _, m := range s.Modules {
		m.PruneResourceHusks()
		s.pruneModule(m.Addr)
	}
}

// pruneModule removes a module in which there is nothing, unless it is the root.
func (s *State) pruneModule(addr addrs.ModuleInstance) {
	if m := s.Module(addr); m != nil && !addr.IsRoot() && m.empty() {
		s.RemoveModule(addr)
	}
}

// SyncWrapper is s for use by many goroutines. Until they are done, s itself
// must not be used.
func (s *State) SyncWrapper() *SyncState { return &SyncState{state: s} }

// sortedModules are the modules with parents first and siblings in the order of
// their keys.
func (s *State) sortedModules() []*Module {
	if s == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(s.Modules), func(a, b *Module) int { return a.Addr.Compare(b.Addr) })
}

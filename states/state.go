package states

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// State is the state of all modules. Use its methods to change it. It always has a root
// module.
type State struct {
	// Modules are keyed by the text of their address.
	Modules map[string]*Module
}

// NewState returns an empty state.
func NewState() *State {
	root := addrs.RootModuleInstance
	return &State{Modules: map[string]*Module{root.String(): NewModule(root)}}
}

// BuildState returns the state that build creates.
func BuildState(build func(*SyncState)) *State {
	s := NewState()
	build(s.SyncWrapper())
	return s
}

// Empty reports whether there are no resources and no output values.
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

// Module returns the module instance with the address, or nil.
func (s *State) Module(addr addrs.ModuleInstance) *Module {
	if s == nil {
		return nil
	}
	return s.Modules[addr.String()]
}

// RootModule returns the root module, or nil if s is nil.
func (s *State) RootModule() *Module { return s.Module(addrs.RootModuleInstance) }

// EnsureModule returns the module instance with the address and adds it if necessary.
func (s *State) EnsureModule(addr addrs.ModuleInstance) *Module {
	m := s.Module(addr)
	if m == nil {
		m = NewModule(addr)
		s.Modules[addr.String()] = m
	}
	return m
}

// RemoveModule removes a module instance with all its content, but not the modules below it.
// It panics for the root module.
func (s *State) RemoveModule(addr addrs.ModuleInstance) {
	if addr.IsRoot() {
		panic("states: the root module cannot be removed")
	}
	delete(s.Modules, addr.String())
}

// ModuleInstances returns the instances of the module, sorted by address.
func (s *State) ModuleInstances(addr addrs.Module) []*Module {
	return slices.DeleteFunc(s.sortedModules(), func(m *Module) bool { return !m.Addr.Module().Equal(addr) })
}

// Resource returns the resource with the address, or nil.
func (s *State) Resource(addr addrs.AbsResource) *Resource {
	return s.Module(addr.Module).Resource(addr.Resource)
}

// Resources returns the resources of the block in all instances of its module, sorted
// by address.
func (s *State) Resources(addr addrs.ConfigResource) []*Resource {
	var found []*Resource
	for _, m := range s.ModuleInstances(addr.Module) {
		if r := m.Resource(addr.Resource); r != nil {
			found = append(found, r)
		}
	}
	return found
}

// ResourceInstance returns the instance with the address, or nil.
func (s *State) ResourceInstance(addr addrs.AbsResourceInstance) *ResourceInstance {
	return s.Module(addr.Module).ResourceInstance(addr.Resource)
}

// OutputValue returns the output value with the address, or nil.
func (s *State) OutputValue(addr addrs.AbsOutputValue) *OutputValue {
	m := s.Module(addr.Module)
	if m == nil {
		return nil
	}
	return m.OutputValues[addr.OutputValue.Name]
}

// SetOutputValue sets the output value with the address and adds its module if necessary.
func (s *State) SetOutputValue(addr addrs.AbsOutputValue, value cty.Value, sensitive bool) {
	s.EnsureModule(addr.Module).SetOutputValue(addr.OutputValue.Name, value, sensitive)
}

// RemoveOutputValue removes the output value with the address, if there is one, and a child
// module that becomes empty.
func (s *State) RemoveOutputValue(addr addrs.AbsOutputValue) {
	if m := s.Module(addr.Module); m != nil {
		m.RemoveOutputValue(addr.OutputValue.Name)
		s.pruneModule(addr.Module)
	}
}

// LocalValue returns the local value with the address, or cty.NilVal.
func (s *State) LocalValue(addr addrs.AbsLocalValue) cty.Value {
	m := s.Module(addr.Module)
	if m == nil {
		return cty.NilVal
	}
	return m.LocalValues[addr.LocalValue.Name]
}

// ModuleOutputs returns the output values of all instances of the call in parent,
// sorted by address.
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

// PruneResourceHusks removes resources without instances, and empty child modules.
// Package engine calls it at the end of each apply.
func (s *State) PruneResourceHusks() {
	for _, m := range s.Modules {
		m.PruneResourceHusks()
		s.pruneModule(m.Addr)
	}
}

// pruneModule removes an empty module, unless it is the root module.
func (s *State) pruneModule(addr addrs.ModuleInstance) {
	if m := s.Module(addr); m != nil && !addr.IsRoot() && m.empty() {
		s.RemoveModule(addr)
	}
}

// SyncWrapper returns a wrapper of s for concurrent use. Callers must not use s itself
// while they use the wrapper.
func (s *State) SyncWrapper() *SyncState { return &SyncState{state: s} }

// sortedModules returns the modules sorted by address, parents first.
func (s *State) sortedModules() []*Module {
	if s == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(s.Modules), func(a, b *Module) int { return a.Addr.Compare(b.Addr) })
}

// ProviderAddrs returns the unique provider configurations of resources, sorted by
// text.
func (s *State) ProviderAddrs() []addrs.AbsProviderConfig {
	if s == nil {
		return nil
	}
	found := map[string]addrs.AbsProviderConfig{}
	for _, m := range s.Modules {
		for _, r := range m.Resources {
			found[r.ProviderConfig.String()] = r.ProviderConfig
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b addrs.AbsProviderConfig) int { return strings.Compare(a.String(), b.String()) })
}

// ProviderRequirements returns the unique providers of resources, sorted by text. A
// state has no version constraints.
func (s *State) ProviderRequirements() []addrs.Provider {
	found := map[addrs.Provider]bool{}
	for _, config := range s.ProviderAddrs() {
		found[config.Provider] = true
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b addrs.Provider) int { return strings.Compare(a.String(), b.String()) })
}

// String returns a list of addresses and descriptions of objects for test output. It contains no
// values, because these may be sensitive.
func (s *State) String() string {
	var b strings.Builder
	for _, m := range s.sortedModules() {
		for _, r := range sortedResources(m) {
			r.print(&b)
		}
		for _, name := range slices.Sorted(maps.Keys(m.OutputValues)) {
			fmt.Fprintf(&b, "%s\n", m.OutputValues[name].Addr)
		}
	}
	if b.Len() == 0 {
		return "<no state>\n"
	}
	return b.String()
}

func sortedResources(m *Module) []*Resource {
	return slices.SortedFunc(maps.Values(m.Resources), func(a, b *Resource) int { return a.Addr.Resource.Compare(b.Addr.Resource) })
}

func (r *Resource) print(b *strings.Builder) {
	if len(r.Instances) == 0 {
		fmt.Fprintf(b, "%s: no instances, %s\n", r.Addr, r.ProviderConfig)
	}
	keys := slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys)
	for _, key := range keys {
		is := r.Instances[key]
		if is.HasCurrent() {
			fmt.Fprintf(b, "%s: %s, %s\n", r.Addr.Instance(key), is.Current, r.ProviderConfig)
		}
		for _, deposed := range slices.Sorted(maps.Keys(is.Deposed)) {
			fmt.Fprintf(b, "%s deposed %s: %s, %s\n", r.Addr.Instance(key), deposed, is.Deposed[deposed], r.ProviderConfig)
		}
	}
}

// String returns a description of the object without its values.
func (s *ResourceInstanceObjectSrc) String() string {
	if s == nil {
		return "none"
	}
	status := cmp.Or(map[ObjectStatus]string{ObjectReady: "ready", ObjectTainted: "tainted", ObjectPlanned: "planned"}[s.Status], s.Status.String())
	text := fmt.Sprintf("%s, version %d", status, s.SchemaVersion)
	var needed []string
	for _, addr := range s.Dependencies {
		needed = append(needed, addr.String())
	}
	if needed == nil {
		return text
	}
	return text + ", needs " + strings.Join(needed, ", ")
}

// LegacyInstanceObjectID returns the string attribute id of the object, or "".
func LegacyInstanceObjectID(obj *ResourceInstanceObjectSrc) string {
	if obj == nil {
		return ""
	}
	if obj.AttrsFlat != nil {
		return obj.AttrsFlat["id"]
	}
	var attrs struct {
		ID json.RawMessage `json:"id"`
	}
	var id string
	if json.Unmarshal(obj.AttrsJSON, &attrs) != nil || json.Unmarshal(attrs.ID, &id) != nil {
		return ""
	}
	return id
}

package states

import (
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// SyncState is a state for many goroutines at once: each of its methods is one
// step that no other comes between. It keeps no order among them; who needs one
// makes it.
//
// What it returns is a copy of just what was asked for: maps and fields may be
// changed at will, what they lead to (JSON, paths) may not. A module in which
// nothing is left is removed.
type SyncState struct {
	state *State
	lock  sync.RWMutex
}

// Lock gives the state itself, for what no method does. It is for reading and
// writing until Unlock, and must not be kept.
func (s *SyncState) Lock() *State {
	s.lock.Lock()
	return s.state
}

// Unlock ends what Lock began.
func (s *SyncState) Unlock() { s.lock.Unlock() }

// Module is a copy of the module instance, nil if there is none. It is a big
// one: the other methods copy less.
func (s *SyncState) Module(addr addrs.ModuleInstance) *Module {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.Module(addr).DeepCopy()
}

// ModuleOutputs are the output values of all instances of the call in parent, in
// order of their addresses.
func (s *SyncState) ModuleOutputs(parent addrs.ModuleInstance, call addrs.ModuleCall) []*OutputValue {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ModuleOutputs(parent, call) // a new slice of what never changes
}

// RemoveModule removes a module instance with everything in it. It panics for
// the root.
func (s *SyncState) RemoveModule(addr addrs.ModuleInstance) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.RemoveModule(addr)
}

// OutputValue is the output value of the address, nil if there is none.
func (s *SyncState) OutputValue(addr addrs.AbsOutputValue) *OutputValue {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.OutputValue(addr).shallowCopy()
}

// SetOutputValue records an output value, adding its module if need be.
func (s *SyncState) SetOutputValue(addr addrs.AbsOutputValue, value cty.Value, sensitive bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetOutputValue(addr.OutputValue.Name, value, sensitive)
}

// RemoveOutputValue removes an output value.
func (s *SyncState) RemoveOutputValue(addr addrs.AbsOutputValue) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveOutputValue(addr.OutputValue.Name) })
}

// LocalValue is the local value of the address, cty.NilVal if there is none.
func (s *SyncState) LocalValue(addr addrs.AbsLocalValue) cty.Value {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.LocalValue(addr)
}

// SetLocalValue records a local value, adding its module if need be.
func (s *SyncState) SetLocalValue(addr addrs.AbsLocalValue, value cty.Value) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetLocalValue(addr.LocalValue.Name, value)
}

// RemoveLocalValue removes a local value.
func (s *SyncState) RemoveLocalValue(addr addrs.AbsLocalValue) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveLocalValue(addr.LocalValue.Name) })
}

// inModule changes a module if there is one, and removes it if this empties it.
func (s *SyncState) inModule(addr addrs.ModuleInstance, change func(*Module)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if m := s.state.Module(addr); m != nil {
		change(m)
		s.state.pruneModule(addr)
	}
}

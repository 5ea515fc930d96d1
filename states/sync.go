package states

import (
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// SyncState is a state for concurrent use: each method is atomic. Callers that need a
// certain order of calls must synchronise them.
//
// Results are copies of the requested part, except those of Lock and ModuleOutputs. The fields of a
// copy may be changed, and the maps of modules, resources and instances, but not other data that a
// copy refers to, such as JSON and paths. A child module that becomes empty is removed.
type SyncState struct {
	state *State
	lock  sync.RWMutex
}

// Lock locks s and returns the state itself, for operations without a method. The state
// must not be used after Unlock.
func (s *SyncState) Lock() *State {
	s.lock.Lock()
	return s.state
}

// Unlock unlocks s after Lock.
func (s *SyncState) Unlock() { s.lock.Unlock() }

// Module returns a copy of the module instance, or nil. It copies more than the other
// methods.
func (s *SyncState) Module(addr addrs.ModuleInstance) *Module {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.Module(addr).DeepCopy()
}

// ModuleOutputs returns the output values of all instances of the call in parent,
// sorted by address. They are not copies and must not be changed.
func (s *SyncState) ModuleOutputs(parent addrs.ModuleInstance, call addrs.ModuleCall) []*OutputValue {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ModuleOutputs(parent, call) // a new slice of immutable values
}

// RemoveModule removes a module instance with all its content, but not the modules below it.
// It panics for the root module.
func (s *SyncState) RemoveModule(addr addrs.ModuleInstance) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.RemoveModule(addr)
}

// OutputValue returns the output value with the address, or nil.
func (s *SyncState) OutputValue(addr addrs.AbsOutputValue) *OutputValue {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.OutputValue(addr).shallowCopy()
}

// SetOutputValue sets an output value and adds its module if necessary.
func (s *SyncState) SetOutputValue(addr addrs.AbsOutputValue, value cty.Value, sensitive bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetOutputValue(addr.OutputValue.Name, value, sensitive)
}

// RemoveOutputValue removes an output value, and its module if that becomes empty.
func (s *SyncState) RemoveOutputValue(addr addrs.AbsOutputValue) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveOutputValue(addr.OutputValue.Name) })
}

// LocalValue returns the local value with the address, or cty.NilVal.
func (s *SyncState) LocalValue(addr addrs.AbsLocalValue) cty.Value {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.LocalValue(addr)
}

// SetLocalValue sets a local value and adds its module if necessary.
func (s *SyncState) SetLocalValue(addr addrs.AbsLocalValue, value cty.Value) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetLocalValue(addr.LocalValue.Name, value)
}

// RemoveLocalValue removes a local value, and its module if that becomes empty.
func (s *SyncState) RemoveLocalValue(addr addrs.AbsLocalValue) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveLocalValue(addr.LocalValue.Name) })
}

// inModule changes a module if it exists, and removes it if it becomes empty.
func (s *SyncState) inModule(addr addrs.ModuleInstance, change func(*Module)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if m := s.state.Module(addr); m != nil {
		change(m)
		s.state.pruneModule(addr)
	}
}

// Resource returns a copy of the resource, or nil.
func (s *SyncState) Resource(addr addrs.AbsResource) *Resource {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.Resource(addr).DeepCopy()
}

// ResourceInstance returns a copy of the instance, or nil.
func (s *SyncState) ResourceInstance(addr addrs.AbsResourceInstance) *ResourceInstance {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ResourceInstance(addr).DeepCopy()
}

// ResourceInstanceObject returns a copy of the object of the generation, or nil. It
// panics if gen is nil or NotDeposed.
func (s *SyncState) ResourceInstanceObject(addr addrs.AbsResourceInstance, gen Generation) *ResourceInstanceObjectSrc {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ResourceInstance(addr).GetGeneration(gen).shallowCopy()
}

// SetResourceProvider sets the provider configuration of the resource and adds the
// resource and its module if necessary.
func (s *SyncState) SetResourceProvider(addr addrs.AbsResource, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceProvider(addr.Resource, provider)
}

// RemoveResource removes a resource with all its instances and objects. See also
// [SyncState.RemoveResourceIfEmpty].
func (s *SyncState) RemoveResource(addr addrs.AbsResource) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveResource(addr.Resource) })
}

// RemoveResourceIfEmpty removes a resource if it has no objects. It reports whether the
// resource does not exist afterwards.
func (s *SyncState) RemoveResourceIfEmpty(addr addrs.AbsResource) bool {
	gone := true
	s.inModule(addr.Module, func(m *Module) {
		r := m.Resource(addr.Resource)
		if r == nil {
			return
		}
		for _, is := range r.Instances {
			gone = gone && !is.HasObjects()
		}
		if gone {
			m.RemoveResource(addr.Resource)
		}
	})
	return gone
}

// SetResourceInstanceCurrent sets the current object of the instance and adds the
// resource and its module if necessary. Nil removes the object; an instance is removed
// with its last object, a resource with its last instance, and a module if it becomes
// empty. The provider becomes that of all instances of the resource.
func (s *SyncState) SetResourceInstanceCurrent(addr addrs.AbsResourceInstance, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceInstanceCurrent(addr.Resource, obj.shallowCopy(), provider)
	s.state.pruneModule(addr.Module)
}

// SetResourceInstanceDeposed sets the deposed object with the key. Nil removes it and
// everything that becomes empty. It panics if the resource does not exist.
func (s *SyncState) SetResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceInstanceDeposed(addr.Resource, key, obj.shallowCopy(), provider)
	s.state.pruneModule(addr.Module)
}

// DeposeResourceInstanceObject deposes the current object and returns its new key, or
// NotDeposed if there is no current object.
func (s *SyncState) DeposeResourceInstanceObject(addr addrs.AbsResourceInstance) DeposedKey {
	return s.depose(addr, NotDeposed)
}

// DeposeResourceInstanceObjectForceKey deposes the current object, if there is one, under
// the given key. It panics if the key is empty, or if there is a current object and the key
// is in use.
func (s *SyncState) DeposeResourceInstanceObjectForceKey(addr addrs.AbsResourceInstance, forced DeposedKey) {
	if forced == NotDeposed {
		panic("states: the deposed key is empty")
	}
	s.depose(addr, forced)
}

func (s *SyncState) depose(addr addrs.AbsResourceInstance, key DeposedKey) DeposedKey {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.Module(addr.Module).depose(addr.Resource, key)
}

// MaybeRestoreResourceInstanceDeposed makes a deposed object current again, unless
// there is a current object. It reports whether it did.
func (s *SyncState) MaybeRestoreResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.Module(addr.Module).restore(addr.Resource, key)
}

// ForgetResourceInstanceAll removes the instance with all its objects and everything
// that becomes empty.
func (s *SyncState) ForgetResourceInstanceAll(addr addrs.AbsResourceInstance) {
	s.inModule(addr.Module, func(m *Module) { m.ForgetResourceInstanceAll(addr.Resource) })
}

// ForgetResourceInstanceDeposed removes a deposed object and everything that becomes
// empty.
func (s *SyncState) ForgetResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey) {
	s.inModule(addr.Module, func(m *Module) { m.ForgetResourceInstanceDeposed(addr.Resource, key) })
}

// RemovePlannedResourceInstanceObjects removes the placeholders of planned objects. The
// objects that they replaced are not restored.
func (s *SyncState) RemovePlannedResourceInstanceObjects() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, m := range s.state.Modules {
		for _, r := range m.Resources {
			for key, is := range r.Instances {
				is.removePlanned()
				m.dropIfEmpty(r.Addr.Resource.Instance(key))
			}
		}
		s.state.pruneModule(m.Addr)
	}
}

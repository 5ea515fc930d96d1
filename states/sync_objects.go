package states

import (
	"github.com/posixform/terraform-provider-posix/addrs"
)

// Resource is a copy of the resource, nil if there is none.
func (s *SyncState) Resource(addr addrs.AbsResource) *Resource {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.Resource(addr).DeepCopy()
}

// ResourceInstance is a copy of the instance, nil if there is none.
func (s *SyncState) ResourceInstance(addr addrs.AbsResourceInstance) *ResourceInstance {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ResourceInstance(addr).DeepCopy()
}

// ResourceInstanceObject is a copy of the object of the generation, nil if there
// is none. It panics for a generation that is nil.
func (s *SyncState) ResourceInstanceObject(addr addrs.AbsResourceInstance, gen Generation) *ResourceInstanceObjectSrc {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.state.ResourceInstance(addr).GetGeneration(gen).shallowCopy()
}

// SetResourceProvider records which provider configuration the resource belongs
// to, adding the resource and its module if need be.
func (s *SyncState) SetResourceProvider(addr addrs.AbsResource, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceProvider(addr.Resource, provider)
}

// RemoveResource removes a resource with all its instances.
// [SyncState.RemoveResourceIfEmpty] looks first.
func (s *SyncState) RemoveResource(addr addrs.AbsResource) {
	s.inModule(addr.Module, func(m *Module) { m.RemoveResource(addr.Resource) })
}

// RemoveResourceIfEmpty removes a resource that has no objects left. It reports
// whether the resource is not there now.
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

// SetResourceInstanceCurrent makes obj the current object of the instance, in
// place of another, adding the resource and its module if need be. Nil removes
// the current object; the instance goes with its last object, the resource with
// its last instance, and the module if nothing is left in it. The provider is
// from then on that of all instances of the resource.
func (s *SyncState) SetResourceInstanceCurrent(addr addrs.AbsResourceInstance, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceInstanceCurrent(addr.Resource, obj.shallowCopy(), provider)
	s.state.pruneModule(addr.Module)
}

// SetResourceInstanceDeposed makes obj the deposed object of the instance that
// has the key, in place of another. Nil removes it, and what that empties. The
// resource is there already, or this panics.
func (s *SyncState) SetResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.EnsureModule(addr.Module).SetResourceInstanceDeposed(addr.Resource, key, obj.shallowCopy(), provider)
	s.state.pruneModule(addr.Module)
}

// DeposeResourceInstanceObject makes the current object a deposed one and gives
// its new key. NotDeposed says that there was no current object.
func (s *SyncState) DeposeResourceInstanceObject(addr addrs.AbsResourceInstance) DeposedKey {
	return s.depose(addr, NotDeposed)
}

// DeposeResourceInstanceObjectForceKey makes the current object a deposed one
// under a key that the caller has chosen. It panics if the key is in use.
func (s *SyncState) DeposeResourceInstanceObjectForceKey(addr addrs.AbsResourceInstance, forced DeposedKey) {
	if forced == NotDeposed {
		panic("states: an object cannot be deposed under no key")
	}
	s.depose(addr, forced)
}

func (s *SyncState) depose(addr addrs.AbsResourceInstance, key DeposedKey) DeposedKey {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.Module(addr.Module).depose(addr.Resource, key)
}

// MaybeRestoreResourceInstanceDeposed makes a deposed object the current one
// again, unless there is a current one that this would forget. It reports
// whether it did.
func (s *SyncState) MaybeRestoreResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.Module(addr.Module).restore(addr.Resource, key)
}

// ForgetResourceInstanceAll removes the instance with all its objects, and what
// that empties.
func (s *SyncState) ForgetResourceInstanceAll(addr addrs.AbsResourceInstance) {
	s.inModule(addr.Module, func(m *Module) { m.ForgetResourceInstanceAll(addr.Resource) })
}

// ForgetResourceInstanceDeposed removes a deposed object, and what that empties.
func (s *SyncState) ForgetResourceInstanceDeposed(addr addrs.AbsResourceInstance, key DeposedKey) {
	s.inModule(addr.Module, func(m *Module) { m.ForgetResourceInstanceDeposed(addr.Resource, key) })
}

// RemovePlannedResourceInstanceObjects removes the objects that stood in for
// what a plan will create. What was there before them does not come back.
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

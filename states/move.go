package states

import (
	"github.com/posixform/terraform-provider-posix/addrs"
)

// MoveResourceInstance moves the instance at from, with all its objects, to the address
// to. It does nothing and returns false if there is no instance at from, or one at to.
// The resource types are not compared.
//
// The resource at from is removed if it has no other instances, and its module if that is a
// child module and becomes empty.
func (s *State) MoveResourceInstance(from, to addrs.AbsResourceInstance) bool {
	is := s.ResourceInstance(from)
	if is == nil || s.ResourceInstance(to) != nil {
		return false
	}
	source := s.Resource(from.ContainingResource())
	target := s.EnsureModule(to.Module)
	if r := target.Resource(to.Resource.Resource); r == nil || len(r.Instances) == 0 {
		target.SetResourceProvider(to.Resource.Resource, source.ProviderConfig)
	}
	target.Resource(to.Resource.Resource).Instances[to.Resource.Key] = is
	delete(source.Instances, from.Resource.Key)
	if len(source.Instances) == 0 {
		s.Module(from.Module).RemoveResource(from.Resource.Resource)
	}
	s.pruneModule(from.Module)
	return true
}

// MoveResource moves the resource at from, with all its instances, to the address to.
// It does nothing and returns false if there is no resource at from, or one with
// instances at to.
func (s *State) MoveResource(from, to addrs.AbsResource) bool {
	r := s.Resource(from)
	if r == nil || s.taken(to) {
		return false
	}
	s.Module(from.Module).RemoveResource(from.Resource)
	r.Addr = to
	s.EnsureModule(to.Module).Resources[to.Resource] = r
	s.pruneModule(from.Module)
	return true
}

// MoveAbsResource is like MoveResource, but panics if the resource cannot be moved: the
// caller must ensure that there is one at from, and none with instances at to.
func (s *State) MoveAbsResource(from, to addrs.AbsResource) {
	if !s.MoveResource(from, to) {
		panic("states: " + from.String() + " cannot be moved to " + to.String())
	}
}

// MaybeMoveAbsResource is like MoveAbsResource, but returns false if the resource is
// already at to, and nothing is at from.
func (s *State) MaybeMoveAbsResource(from, to addrs.AbsResource) bool {
	if s.Resource(from) == nil && s.Resource(to) != nil {
		return false
	}
	s.MoveAbsResource(from, to)
	return true
}

// MoveAbsResourceInstance is like MoveResourceInstance, but panics if the instance cannot
// be moved: the caller must ensure that there is one at from, and none at to.
func (s *State) MoveAbsResourceInstance(from, to addrs.AbsResourceInstance) {
	if !s.MoveResourceInstance(from, to) {
		panic("states: " + from.String() + " cannot be moved to " + to.String())
	}
}

// MaybeMoveAbsResourceInstance is like MoveAbsResourceInstance, but returns false if the
// instance is already at to, and none is at from.
func (s *State) MaybeMoveAbsResourceInstance(from, to addrs.AbsResourceInstance) bool {
	if s.ResourceInstance(from) == nil && s.ResourceInstance(to) != nil {
		return false
	}
	s.MoveAbsResourceInstance(from, to)
	return true
}

// MoveModuleInstance is like MoveModule, but panics if the module instance cannot be
// moved.
func (s *State) MoveModuleInstance(from, to addrs.ModuleInstance) {
	if !s.MoveModule(from, to) {
		panic("states: " + from.String() + " cannot be moved to " + to.String())
	}
}

// MaybeMoveModuleInstance is like MoveModuleInstance, but returns false if the module
// instance is already at to, and none is at from.
func (s *State) MaybeMoveModuleInstance(from, to addrs.ModuleInstance) bool {
	if s.Module(from) == nil && s.Module(to) != nil {
		return false
	}
	s.MoveModuleInstance(from, to)
	return true
}

func (s *State) taken(addr addrs.AbsResource) bool {
	r := s.Resource(addr)
	return r != nil && len(r.Instances) > 0
}

// MoveModule moves the module instance at from, with everything below it, to the
// address to. It does nothing and returns false if there is nothing at or below from,
// if there is something at or below to, or if one of the two modules is the root module or
// inside of the other.
func (s *State) MoveModule(from, to addrs.ModuleInstance) bool {
	if from.IsRoot() || to.IsRoot() || under(from, to) || under(to, from) {
		return false
	}
	var moving []*Module
	for _, m := range s.Modules {
		if under(to, m.Addr) {
			return false
		}
		if under(from, m.Addr) {
			moving = append(moving, m)
		}
	}
	for _, m := range moving {
		delete(s.Modules, m.Addr.String())
		addr := append(append(addrs.ModuleInstance{}, to...), m.Addr[len(from):]...)
		s.Modules[addr.String()] = m.at(addr)
	}
	return len(moving) > 0
}

// under reports whether addr is module or below it.
func under(module, addr addrs.ModuleInstance) bool {
	return len(addr) >= len(module) && module.Equal(addr[:len(module)])
}

// at changes the address of m and returns m. It copies the output values, which are
// immutable.
func (m *Module) at(addr addrs.ModuleInstance) *Module {
	m.Addr = addr
	for _, r := range m.Resources {
		r.Addr.Module = addr
	}
	for name, o := range m.OutputValues {
		moved := *o
		moved.Addr.Module = addr
		m.OutputValues[name] = &moved
	}
	return m
}

// MoveResourceInstance is like the method of State.
func (s *SyncState) MoveResourceInstance(from, to addrs.AbsResourceInstance) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.MoveResourceInstance(from, to)
}

// MoveResource is like the method of State.
func (s *SyncState) MoveResource(from, to addrs.AbsResource) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.MoveResource(from, to)
}

// MoveModule is like the method of State.
func (s *SyncState) MoveModule(from, to addrs.ModuleInstance) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state.MoveModule(from, to)
}

// MaybeFixUpResourceInstanceAddressForCount moves the instances of a block to which count was
// added, or from which it was removed: the instance without a key gets index 0, or vice versa,
// in all instances of the module. An instance whose new address is in use is not moved. It reports
// whether it moved any.
func (s *SyncState) MaybeFixUpResourceInstanceAddressForCount(addr addrs.ConfigResource, countEnabled bool) bool {
	from, to := addrs.InstanceKey(addrs.IntKey(0)), addrs.NoKey
	if countEnabled {
		from, to = to, from
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	moved := false
	for _, r := range s.state.Resources(addr) {
		is := r.Instance(from)
		if is == nil || r.Instance(to) != nil {
			continue
		}
		r.Instances[to] = is
		delete(r.Instances, from)
		moved = true
	}
	return moved
}

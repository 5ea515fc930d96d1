package states

import (
	"maps"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// DeepCopy returns a copy that is independent of the state. Objects and values are
// shared, because they are immutable.
func (s *State) DeepCopy() *State {
	if s == nil {
		return nil
	}
	out := &State{Modules: make(map[string]*Module, len(s.Modules))}
	for key, m := range s.Modules {
		out.Modules[key] = m.DeepCopy()
	}
	return out
}

// DeepCopy returns an independent copy of the module instance.
func (m *Module) DeepCopy() *Module {
	if m == nil {
		return nil
	}
	out := &Module{
		Addr:         m.Addr,
		Resources:    make(map[addrs.Resource]*Resource, len(m.Resources)),
		OutputValues: make(map[string]*OutputValue, len(m.OutputValues)),
		LocalValues:  maps.Clone(m.LocalValues),
	}
	for addr, r := range m.Resources {
		out.Resources[addr] = r.DeepCopy()
	}
	for name, o := range m.OutputValues {
		out.OutputValues[name] = o.shallowCopy()
	}
	return out
}

// DeepCopy returns an independent copy of the resource.
func (r *Resource) DeepCopy() *Resource {
	if r == nil {
		return nil
	}
	out := *r
	out.Extra = maps.Clone(r.Extra)
	out.Instances = make(map[addrs.InstanceKey]*ResourceInstance, len(r.Instances))
	for key, is := range r.Instances {
		out.Instances[key] = is.DeepCopy()
	}
	return &out
}

// DeepCopy returns an independent copy of the instance.
func (i *ResourceInstance) DeepCopy() *ResourceInstance {
	if i == nil {
		return nil
	}
	out := &ResourceInstance{
		Current:     i.Current.shallowCopy(),
		Deposed:     make(map[DeposedKey]*ResourceInstanceObjectSrc, len(i.Deposed)),
		ProviderKey: i.ProviderKey,
	}
	for key, obj := range i.Deposed {
		out.Deposed[key] = obj.shallowCopy()
	}
	return out
}

// shallowCopy returns a copy whose fields may be changed.
func (s *ResourceInstanceObjectSrc) shallowCopy() *ResourceInstanceObjectSrc {
	if s == nil {
		return nil
	}
	out := *s
	return &out
}

func (o *OutputValue) shallowCopy() *OutputValue {
	if o == nil {
		return nil
	}
	out := *o
	return &out
}

package states

import (
	"maps"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// DeepCopy is a copy of the state: whatever happens to one of both, the other
// stays as it is. Objects and values are shared, since they never change.
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

// DeepCopy is a copy of the module instance, as that of State.
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

// DeepCopy is a copy of the resource, as that of State.
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

// DeepCopy is a copy of the instance, as that of State.
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

// shallowCopy lets the one who gets it change fields.
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

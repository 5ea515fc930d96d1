package states

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// DeepCopy returns an independent copy of the state. The data of objects and values is
// shared, because it is immutable.
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

// Equal reports whether both states are equal, including values that exist only during
// a run. Attributes are compared as stored: two JSON encodings are equal if their bytes
// are. A nil state equals an empty one.
func (s *State) Equal(other *State) bool {
	s, other = cmp.Or(s, NewState()), cmp.Or(other, NewState())
	return maps.EqualFunc(s.Modules, other.Modules, (*Module).equal)
}

// ManagedResourcesEqual reports whether both states have the same managed resources. Unlike
// [State.Equal], it ignores everything else. A nil state equals an empty one.
func (s *State) ManagedResourcesEqual(other *State) bool {
	return maps.EqualFunc(s.managedResources(), other.managedResources(), (*Resource).equal)
}

// managedResources returns the managed resources by address.
func (s *State) managedResources() map[string]*Resource {
	out := map[string]*Resource{}
	if s == nil {
		return out
	}
	for _, m := range s.Modules {
		for _, r := range m.Resources {
			if r.Addr.Resource.Mode == addrs.ManagedResourceMode {
				out[r.Addr.String()] = r
			}
		}
	}
	return out
}

func (m *Module) equal(other *Module) bool {
	return m.Addr.Equal(other.Addr) &&
		maps.EqualFunc(m.Resources, other.Resources, (*Resource).equal) &&
		maps.EqualFunc(m.OutputValues, other.OutputValues, (*OutputValue).equal) &&
		maps.EqualFunc(m.LocalValues, other.LocalValues, cty.Value.RawEquals)
}

func (r *Resource) equal(other *Resource) bool {
	return r.Addr.Equal(other.Addr) && r.ProviderConfig.Equal(other.ProviderConfig) && equalExtra(r.Extra, other.Extra) &&
		maps.EqualFunc(r.Instances, other.Instances, (*ResourceInstance).equal)
}

func (i *ResourceInstance) equal(other *ResourceInstance) bool {
	return i.Current.Equal(other.Current) && i.ProviderKey == other.ProviderKey &&
		maps.EqualFunc(i.Deposed, other.Deposed, (*ResourceInstanceObjectSrc).Equal)
}

// Equal reports whether both stored objects are equal. Nil equals only nil.
func (s *ResourceInstanceObjectSrc) Equal(other *ResourceInstanceObjectSrc) bool {
	if s == nil || other == nil || s == other {
		return s == other
	}
	return s.SchemaVersion == other.SchemaVersion &&
		bytes.Equal(s.AttrsJSON, other.AttrsJSON) &&
		maps.Equal(s.AttrsFlat, other.AttrsFlat) && (s.AttrsFlat == nil) == (other.AttrsFlat == nil) &&
		slices.EqualFunc(sortedPaths(s.AttrSensitivePaths), sortedPaths(other.AttrSensitivePaths), cty.Path.Equals) &&
		bytes.Equal(s.IdentityJSON, other.IdentityJSON) &&
		s.IdentitySchemaVersion == other.IdentitySchemaVersion &&
		bytes.Equal(s.Private, other.Private) &&
		s.Status == other.Status &&
		slices.EqualFunc(s.Dependencies, other.Dependencies, addrs.ConfigResource.Equal) &&
		s.CreateBeforeDestroy == other.CreateBeforeDestroy &&
		s.SkipDestroy == other.SkipDestroy &&
		equalExtra(s.Extra, other.Extra)
}

func (o *OutputValue) equal(other *OutputValue) bool {
	return o.Sensitive == other.Sensitive && o.Value.RawEquals(other.Value) && equalExtra(o.Extra, other.Extra)
}

func equalExtra(a, b map[string]json.RawMessage) bool {
	return maps.EqualFunc(a, b, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

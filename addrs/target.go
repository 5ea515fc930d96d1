package addrs

import "slices"

// Target is a target of a plan: a module, a resource, or an instance.
type Target struct {
	Module ModuleInstance
	// Resource is the zero value if the target is a module.
	Resource Resource
	// Key is NoKey if the target is a whole resource.
	Key InstanceKey
}

// ParseTargetStr is the inverse of [Target.String]. An error is a [ParseError].
func ParseTargetStr(text string) (Target, error) {
	s := scan("the address of a module, a resource or a resource instance", text)
	var t Target
	for s.takeWord("module") {
		if t.Module = s.step(t.Module); s.pos == len(text) {
			if err := s.end(); err != nil {
				return Target{}, err
			}
			return t, nil
		}
		s.want('.', "after a module")
	}
	t.Resource = s.resource()
	t.Key = s.key()
	if err := s.end(); err != nil {
		return Target{}, err
	}
	return t, nil
}

// String returns the address.
func (t Target) String() string {
	if t.Resource == (Resource{}) {
		return t.Module.String()
	}
	return t.Resource.Instance(t.Key).Absolute(t.Module).String()
}

// Contains reports whether the instance is the target or inside of it. A target without
// a final key contains all instances.
func (t Target) Contains(r AbsResourceInstance) bool {
	if t.Resource == (Resource{}) {
		return t.Module.within(r.Module)
	}
	return t.Resource == r.Resource.Resource && t.Module.Equal(r.Module) && (t.Key == NoKey || t.Key == r.Resource.Key)
}

// ContainsConfig reports whether an instance of the resource could be inside of the
// target, for resources whose instances are unknown.
func (t Target) ContainsConfig(r ConfigResource) bool {
	if t.Resource != (Resource{}) && (t.Resource != r.Resource || len(t.Module) != len(r.Module)) || len(t.Module) > len(r.Module) {
		return false
	}
	return slices.EqualFunc(t.Module, r.Module[:len(t.Module)], func(step ModuleInstanceStep, name string) bool { return step.Name == name })
}

func (m ModuleInstance) within(other ModuleInstance) bool {
	if len(m) > len(other) {
		return false
	}
	for i, step := range m {
		whole := i == len(m)-1 && step.InstanceKey == NoKey
		if step.Name != other[i].Name || !whole && step.InstanceKey != other[i].InstanceKey {
			return false
		}
	}
	return true
}

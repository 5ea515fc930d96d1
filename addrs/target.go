package addrs

// Target is an address that a plan is limited to: a module, a resource, or one
// instance.
type Target struct {
	Module ModuleInstance
	// Resource is its zero value where the target is the whole module.
	Resource Resource
	// Key is NoKey where the target is the whole resource.
	Key InstanceKey
}

// ParseTargetStr is the inverse of [Target.String].
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

// String is the address.
func (t Target) String() string {
	if t.Resource == (Resource{}) {
		return t.Module.String()
	}
	return t.Resource.Instance(t.Key).Absolute(t.Module).String()
}

// Contains reports whether the instance is the target or within it. A target
// without a key at its end has all instances of what it names.
func (t Target) Contains(r AbsResourceInstance) bool {
	if t.Resource == (Resource{}) {
		return t.Module.within(r.Module)
	}
	return t.Resource == r.Resource.Resource && t.Module.Equal(r.Module) && (t.Key == NoKey || t.Key == r.Resource.Key)
}

// ContainsConfig reports whether an instance of the block could be within the
// target. It is for blocks whose instances are not known yet.
func (t Target) ContainsConfig(r ConfigResource) bool {
	if t.Resource != (Resource{}) && (t.Resource != r.Resource || len(t.Module) != len(r.Module)) || len(t.Module) > len(r.Module) {
		return false
	}
	for i, step := range t.Module {
		if step.Name != r.Module[i] {
			return false
		}
	}
	return true
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

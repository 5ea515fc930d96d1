package addrs

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders module instances: parents before children, siblings by name and then
// by key. It returns a negative number, 0 or a positive number.
func (m ModuleInstance) Compare(other ModuleInstance) int {
	return slices.CompareFunc(m, other, func(a, b ModuleInstanceStep) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), CompareKeys(a.InstanceKey, b.InstanceKey))
	})
}

// Compare orders resources by mode, with data first, then by type and name.
func (r Resource) Compare(other Resource) int {
	return cmp.Or(
		cmp.Compare(r.Mode, other.Mode),
		strings.Compare(r.Type, other.Type),
		strings.Compare(r.Name, other.Name),
	)
}

// Equal reports whether both are the same resource.
func (r ConfigResource) Equal(other ConfigResource) bool {
	return r.Resource == other.Resource && slices.Equal(r.Module, other.Module)
}

// Equal reports whether both are the same resource in the same module instance.
func (r AbsResource) Equal(other AbsResource) bool {
	return r.Resource == other.Resource && r.Module.Equal(other.Module)
}

// Equal reports whether both are the same configuration.
func (c AbsProviderConfig) Equal(other AbsProviderConfig) bool {
	return c.Provider == other.Provider && c.Alias == other.Alias && slices.Equal(c.Module, other.Module)
}

// CompareKeys orders keys as [KeyLess] does.
func CompareKeys(a, b InstanceKey) int {
	switch {
	case KeyLess(a, b):
		return -1
	case KeyLess(b, a):
		return 1
	default:
		return 0
	}
}

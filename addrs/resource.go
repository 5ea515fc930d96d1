package addrs

import (
	"cmp"
	"slices"
	"strings"
)

// ResourceMode is the kind of a resource block.
type ResourceMode rune

const (
	// InvalidResourceMode is the zero value and invalid.
	InvalidResourceMode ResourceMode = 0
	// ManagedResourceMode is a resource block.
	ManagedResourceMode ResourceMode = 'M'
	// DataResourceMode is a data block.
	DataResourceMode ResourceMode = 'D'
	// EphemeralResourceMode is an ephemeral block.
	EphemeralResourceMode ResourceMode = 'E'
	// ListResourceMode is a list block of a query.
	ListResourceMode ResourceMode = 'L'
	// ActionMode is an action block.
	ActionMode ResourceMode = 'A'
)

// prefix returns the text before the type in an address of the mode.
func (m ResourceMode) prefix() string {
	switch m {
	case DataResourceMode:
		return "data."
	case EphemeralResourceMode:
		return "ephemeral."
	case ListResourceMode:
		return "list."
	case ActionMode:
		return "action."
	default:
		return ""
	}
}

// Resource is a resource block, relative to its module. It is comparable.
type Resource struct {
	Mode       ResourceMode
	Type, Name string
}

// String returns the address as in expressions: "data.type.name".
func (r Resource) String() string { return r.Mode.prefix() + r.Type + "." + r.Name }

// Instance returns the instance of r with the key.
func (r Resource) Instance(key InstanceKey) ResourceInstance {
	return ResourceInstance{Resource: r, Key: key}
}

// Absolute returns r in the module instance.
func (r Resource) Absolute(module ModuleInstance) AbsResource {
	return AbsResource{Module: module, Resource: r}
}

// InModule returns r in the static module.
func (r Resource) InModule(module Module) ConfigResource {
	return ConfigResource{Module: module, Resource: r}
}

// ImpliedProvider returns the local name of the default provider of r: the type up to
// its first underscore.
func (r Resource) ImpliedProvider() string {
	name, _, _ := strings.Cut(r.Type, "_")
	return name
}

// Compare orders resources by mode (action, data, ephemeral, list, managed), then by type
// and name.
func (r Resource) Compare(other Resource) int {
	return cmp.Or(
		cmp.Compare(r.Mode, other.Mode),
		strings.Compare(r.Type, other.Type),
		strings.Compare(r.Name, other.Name),
	)
}

// ResourceInstance is an instance of a resource, relative to its module. It is
// comparable.
type ResourceInstance struct {
	Resource Resource
	Key      InstanceKey
}

// String returns the address with its key: "type.name[0]".
func (r ResourceInstance) String() string { return r.Resource.String() + KeyString(r.Key) }

// Absolute returns r in the module instance.
func (r ResourceInstance) Absolute(module ModuleInstance) AbsResourceInstance {
	return AbsResourceInstance{Module: module, Resource: r}
}

// ConfigResource is a resource block in the static tree of modules. It stands for all
// instances in all instances of its module.
type ConfigResource struct {
	Module   Module
	Resource Resource
}

// String returns the address without keys.
func (r ConfigResource) String() string { return r.Module.prefix() + r.Resource.String() }

// Equal reports whether r and other are the same resource.
func (r ConfigResource) Equal(other ConfigResource) bool {
	return r.Resource == other.Resource && slices.Equal(r.Module, other.Module)
}

// AbsResource is a resource in one instance of its module.
type AbsResource struct {
	Module   ModuleInstance
	Resource Resource
}

// String returns the address with the keys of the modules.
func (r AbsResource) String() string { return r.Module.prefix() + r.Resource.String() }

// Config returns r without the keys of the modules.
func (r AbsResource) Config() ConfigResource {
	return ConfigResource{Module: r.Module.Module(), Resource: r.Resource}
}

// Instance returns the instance of r with the key.
func (r AbsResource) Instance(key InstanceKey) AbsResourceInstance {
	return AbsResourceInstance{Module: r.Module, Resource: r.Resource.Instance(key)}
}

// Equal reports whether r and other are the same resource in the same module instance.
func (r AbsResource) Equal(other AbsResource) bool {
	return r.Resource == other.Resource && r.Module.Equal(other.Module)
}

// AbsResourceInstance is a resource instance with its module instance.
type AbsResourceInstance struct {
	Module   ModuleInstance
	Resource ResourceInstance
}

// String returns the full address.
func (r AbsResourceInstance) String() string { return r.Module.prefix() + r.Resource.String() }

// ContainingResource returns the resource of the instance.
func (r AbsResourceInstance) ContainingResource() AbsResource {
	return AbsResource{Module: r.Module, Resource: r.Resource.Resource}
}

// ConfigResource returns the resource of the instance in the static tree.
func (r AbsResourceInstance) ConfigResource() ConfigResource {
	return r.ContainingResource().Config()
}

// Equal reports whether r and other are the same instance.
func (r AbsResourceInstance) Equal(other AbsResourceInstance) bool {
	return r.Resource == other.Resource && r.Module.Equal(other.Module)
}

package addrs

import "strings"

// ResourceMode tells the kinds of resource blocks apart.
type ResourceMode rune

const (
	// InvalidResourceMode is the zero value and no mode at all.
	InvalidResourceMode ResourceMode = 0
	// ManagedResourceMode is a resource block.
	ManagedResourceMode ResourceMode = 'M'
	// DataResourceMode is a data block.
	DataResourceMode ResourceMode = 'D'
	// EphemeralResourceMode is an ephemeral block.
	EphemeralResourceMode ResourceMode = 'E'
)

// prefix is what stands before the type in an address of the mode.
func (m ResourceMode) prefix() string {
	switch m {
	case DataResourceMode:
		return "data."
	case EphemeralResourceMode:
		return "ephemeral."
	default:
		return ""
	}
}

// Resource is a resource block, relative to its module. It is comparable.
type Resource struct {
	Mode       ResourceMode
	Type, Name string
}

// String is the address as it is written in expressions: "data.type.name".
func (r Resource) String() string { return r.Mode.prefix() + r.Type + "." + r.Name }

// Instance is the instance of r with the key.
func (r Resource) Instance(key InstanceKey) ResourceInstance {
	return ResourceInstance{Resource: r, Key: key}
}

// Absolute is r in the module instance.
func (r Resource) Absolute(module ModuleInstance) AbsResource {
	return AbsResource{Module: module, Resource: r}
}

// InModule is r in the static module.
func (r Resource) InModule(module Module) ConfigResource {
	return ConfigResource{Module: module, Resource: r}
}

// ImpliedProvider is the local name of the provider that serves r where the
// block does not say: the type up to its first underscore.
func (r Resource) ImpliedProvider() string {
	name, _, _ := strings.Cut(r.Type, "_")
	return name
}

// ResourceInstance is one of the objects that a resource block stands for,
// relative to its module. It is comparable.
type ResourceInstance struct {
	Resource Resource
	Key      InstanceKey
}

// String is the address with its key: "type.name[0]".
func (r ResourceInstance) String() string { return r.Resource.String() + KeyString(r.Key) }

// Absolute is r in the module instance.
func (r ResourceInstance) Absolute(module ModuleInstance) AbsResourceInstance {
	return AbsResourceInstance{Module: module, Resource: r}
}

// ConfigResource is a resource block in the static tree of modules: it stands
// for all instances of all instances of its module.
type ConfigResource struct {
	Module   Module
	Resource Resource
}

// String is the address without any instance key.
func (r ConfigResource) String() string { return r.Module.prefix() + r.Resource.String() }

// AbsResource is a resource block in one instance of its module.
type AbsResource struct {
	Module   ModuleInstance
	Resource Resource
}

// String is the address with the keys of the modules.
func (r AbsResource) String() string { return r.Module.prefix() + r.Resource.String() }

// Config is r without the keys of the modules.
func (r AbsResource) Config() ConfigResource {
	return ConfigResource{Module: r.Module.Module(), Resource: r.Resource}
}

// Instance is the instance of r with the key.
func (r AbsResource) Instance(key InstanceKey) AbsResourceInstance {
	return AbsResourceInstance{Module: r.Module, Resource: r.Resource.Instance(key)}
}

// AbsResourceInstance is one object of the whole configuration.
type AbsResourceInstance struct {
	Module   ModuleInstance
	Resource ResourceInstance
}

// String is the full address, the one that people see.
func (r AbsResourceInstance) String() string { return r.Module.prefix() + r.Resource.String() }

// ContainingResource is the block that r is an instance of.
func (r AbsResourceInstance) ContainingResource() AbsResource {
	return AbsResource{Module: r.Module, Resource: r.Resource.Resource}
}

// ConfigResource is the block that r is an instance of, in the static tree.
func (r AbsResourceInstance) ConfigResource() ConfigResource {
	return r.ContainingResource().Config()
}

// Equal reports whether both name the same object.
func (r AbsResourceInstance) Equal(other AbsResourceInstance) bool {
	return r.Resource == other.Resource && r.Module.Equal(other.Module)
}

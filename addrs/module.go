package addrs

import (
	"slices"
	"strings"
)

// Module is a place in the static tree of modules: the names of the calls that
// lead there. The root is empty.
type Module []string

// RootModule is where a configuration begins.
var RootModule Module

// IsRoot reports whether m is the root.
func (m Module) IsRoot() bool { return len(m) == 0 }

// String is "module.a.module.b", and "" for the root.
func (m Module) String() string {
	var b strings.Builder
	for i, name := range m {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString("module.")
		b.WriteString(name)
	}
	return b.String()
}

func (m Module) prefix() string { return withDot(m.String()) }

// Child is the module that the call of the name leads to.
func (m Module) Child(name string) Module { return append(slices.Clip(m), name) }

// Parent is where m is called; that of the root is the root.
func (m Module) Parent() Module {
	if len(m) == 0 {
		return m
	}
	return m[: len(m)-1 : len(m)-1]
}

// Equal reports whether both are the same place.
func (m Module) Equal(other Module) bool { return m.String() == other.String() }

// UnkeyedInstance is the instance of m in which no call is repeated.
func (m Module) UnkeyedInstance() ModuleInstance {
	var out ModuleInstance
	for _, name := range m {
		out = append(out, ModuleInstanceStep{Name: name})
	}
	return out
}

// ModuleInstanceStep is one instance of one module call.
type ModuleInstanceStep struct {
	Name        string
	InstanceKey InstanceKey
}

// ModuleInstance is one instance of a module: the calls that lead there and
// which instance of each. The root is empty.
type ModuleInstance []ModuleInstanceStep

// RootModuleInstance is the only instance of the root.
var RootModuleInstance ModuleInstance

// IsRoot reports whether m is the root.
func (m ModuleInstance) IsRoot() bool { return len(m) == 0 }

// String is `module.a[0].module.b["x"]`, and "" for the root.
func (m ModuleInstance) String() string {
	if len(m) == 0 {
		return ""
	}
	var b strings.Builder
	for i, step := range m {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString("module.")
		b.WriteString(step.Name)
		b.WriteString(KeyString(step.InstanceKey))
	}
	return b.String()
}

func (m ModuleInstance) prefix() string { return withDot(m.String()) }

// Child is the instance of the call of the name that has the key.
func (m ModuleInstance) Child(name string, key InstanceKey) ModuleInstance {
	return append(slices.Clip(m), ModuleInstanceStep{Name: name, InstanceKey: key})
}

// Parent is the module instance that calls m; that of the root is the root.
func (m ModuleInstance) Parent() ModuleInstance {
	if len(m) == 0 {
		return m
	}
	return m[: len(m)-1 : len(m)-1]
}

// Module is m without keys.
func (m ModuleInstance) Module() Module {
	if len(m) == 0 {
		return RootModule
	}
	out := make(Module, len(m))
	for i, step := range m {
		out[i] = step.Name
	}
	return out
}

// Equal reports whether both are the same instance.
func (m ModuleInstance) Equal(other ModuleInstance) bool {
	if len(m) != len(other) {
		return false
	}
	for i := range m {
		if m[i] != other[i] {
			return false
		}
	}
	return true
}

// Resource is the block of the module instance.
func (m ModuleInstance) Resource(mode ResourceMode, typeName, name string) AbsResource {
	return AbsResource{Module: m, Resource: Resource{Mode: mode, Type: typeName, Name: name}}
}

func withDot(s string) string {
	if s == "" {
		return ""
	}
	return s + "."
}

package addrs

import (
	"cmp"
	"slices"
	"strings"
)

// Module is a module in the static tree: the names of the calls that lead to it. The
// root module is empty.
type Module []string

// RootModule is the address of the root module.
var RootModule Module

// IsRoot reports whether m is the root module.
func (m Module) IsRoot() bool { return len(m) == 0 }

// String returns "module.a.module.b", or "" for the root module.
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

// Child returns the child module of m with the name.
func (m Module) Child(name string) Module { return append(slices.Clip(m), name) }

// Parent returns the calling module; the parent of the root module is itself.
func (m Module) Parent() Module {
	if len(m) == 0 {
		return m
	}
	return m[: len(m)-1 : len(m)-1]
}

// Equal reports whether m and other are the same module.
func (m Module) Equal(other Module) bool { return m.String() == other.String() }

// UnkeyedInstance returns the instance of m in which each call has the key NoKey.
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

// ModuleInstance is an instance of a module: the calls that lead to it with their keys.
// The root module is empty.
type ModuleInstance []ModuleInstanceStep

// RootModuleInstance is the only instance of the root module.
var RootModuleInstance ModuleInstance

// IsRoot reports whether m is the root module.
func (m ModuleInstance) IsRoot() bool { return len(m) == 0 }

// String returns `module.a[0].module.b["x"]`, or "" for the root module.
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

// Child returns the instance of the child module of m with the name and the key.
func (m ModuleInstance) Child(name string, key InstanceKey) ModuleInstance {
	return append(slices.Clip(m), ModuleInstanceStep{Name: name, InstanceKey: key})
}

// Parent returns the calling module instance; the parent of the root module is itself.
func (m ModuleInstance) Parent() ModuleInstance {
	if len(m) == 0 {
		return m
	}
	return m[: len(m)-1 : len(m)-1]
}

// Module returns the static module of m, without keys.
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

// Equal reports whether m and other are the same instance.
func (m ModuleInstance) Equal(other ModuleInstance) bool { return slices.Equal(m, other) }

// Compare orders module instances: parents before children, siblings by name and then
// by key. It returns a negative number, 0 or a positive number.
func (m ModuleInstance) Compare(other ModuleInstance) int {
	return slices.CompareFunc(m, other, func(a, b ModuleInstanceStep) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), CompareKeys(a.InstanceKey, b.InstanceKey))
	})
}

// Resource returns the resource in the module instance.
func (m ModuleInstance) Resource(mode ResourceMode, typeName, name string) AbsResource {
	return AbsResource{Module: m, Resource: Resource{Mode: mode, Type: typeName, Name: name}}
}

func withDot(s string) string {
	if s == "" {
		return ""
	}
	return s + "."
}

// InputVariable is a variable block, relative to its module.
type InputVariable struct{ Name string }

// String returns "var.name".
func (v InputVariable) String() string { return "var." + v.Name }

// LocalValue is a name in a locals block, relative to its module.
type LocalValue struct{ Name string }

// String returns "local.name".
func (v LocalValue) String() string { return "local." + v.Name }

// Absolute returns v in the module instance.
func (v LocalValue) Absolute(module ModuleInstance) AbsLocalValue {
	return AbsLocalValue{Module: module, LocalValue: v}
}

// AbsLocalValue is a local value of one module instance.
type AbsLocalValue struct {
	Module     ModuleInstance
	LocalValue LocalValue
}

// String returns the address with its module.
func (v AbsLocalValue) String() string { return v.Module.prefix() + v.LocalValue.String() }

// OutputValue is an output block, relative to its module.
type OutputValue struct{ Name string }

// String returns "output.name".
func (v OutputValue) String() string { return "output." + v.Name }

// Absolute returns v in the module instance.
func (v OutputValue) Absolute(module ModuleInstance) AbsOutputValue {
	return AbsOutputValue{Module: module, OutputValue: v}
}

// AbsOutputValue is an output value of one module instance.
type AbsOutputValue struct {
	Module      ModuleInstance
	OutputValue OutputValue
}

// String returns the address with its module.
func (v AbsOutputValue) String() string { return v.Module.prefix() + v.OutputValue.String() }

// ModuleCall is a module block, relative to the calling module.
type ModuleCall struct{ Name string }

// String returns "module.name".
func (c ModuleCall) String() string { return "module." + c.Name }

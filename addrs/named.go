package addrs

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

package provider

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// FunctionDecl is the signature of a function.
type FunctionDecl struct {
	Parameters        []FunctionParam
	VariadicParameter *FunctionParam
	ReturnType        cty.Type

	Summary            string
	Description        string
	DescriptionKind    configschema.StringKind
	DeprecationMessage string
}

// FunctionParam is one parameter of a function.
type FunctionParam struct {
	Name string
	Type cty.Type

	AllowNullValue     bool
	AllowUnknownValues bool

	Description     string
	DescriptionKind configschema.StringKind
}

// CallFunctionRequest calls a function with positional arguments; variadic ones
// follow the others.
type CallFunctionRequest struct {
	FunctionName string
	Arguments    []cty.Value
}

// CallFunctionResponse has the result, or an error. An error that concerns one
// argument is, or wraps, a [*FunctionArgumentError].
type CallFunctionResponse struct {
	Result cty.Value
	Err    error
}

// FunctionArgumentError is an error of the argument at Index, counted from zero
// with each variadic argument on its own.
type FunctionArgumentError struct {
	Index int
	Err   error
}

func (e *FunctionArgumentError) Error() string { return e.Err.Error() }

// Unwrap gives the error without its position.
func (e *FunctionArgumentError) Unwrap() error { return e.Err }

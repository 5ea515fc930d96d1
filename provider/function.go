package provider

import (
	"slices"

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

// AllParameters returns the parameters, the variadic one last.
func (d FunctionDecl) AllParameters() []FunctionParam {
	if d.VariadicParameter == nil {
		return d.Parameters
	}
	return append(slices.Clip(d.Parameters), *d.VariadicParameter)
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

// CallFunctionRequest calls a function with positional arguments. Variadic
// arguments follow the others.
type CallFunctionRequest struct {
	FunctionName string
	Arguments    []cty.Value
}

// CallFunctionResponse has the result or an error. An error about one argument
// is, or wraps, a [*FunctionArgumentError].
type CallFunctionResponse struct {
	Result cty.Value
	Err    error
}

// FunctionArgumentError is an error about the argument at Index. Indices start
// at zero and count each variadic argument.
type FunctionArgumentError struct {
	Index int
	Err   error
}

func (e *FunctionArgumentError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the index.
func (e *FunctionArgumentError) Unwrap() error { return e.Err }

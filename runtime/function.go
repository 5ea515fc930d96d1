package runtime

import (
	"reflect"
	"slices"

	"github.com/posixform/terraform-provider-posix/provider"
)

// FunctionRegistration is a compiled function for a [Definition]. The zero value is
// not usable.
type FunctionRegistration struct{ registration[function] }

// FuncSpec describes a function beyond the type of the Go function. It can be
// generated from the doc comment, see cmd/describe.
type FuncSpec struct {
	// Summary is one line about the purpose of the function.
	Summary string
	// Description is the documentation for users, as Markdown.
	Description string
	// Parameters are those of the Go function in order, without the context.
	Parameters []Param
	// Constraints are rules about the arguments, with the names of the parameters. A
	// rule about a value applies to each argument of a variadic parameter.
	Constraints []Constraint
	// ReturnsSet makes the slice that the function returns a set.
	ReturnsSet bool
	// Deprecated is the deprecation message; empty if the function is not
	// deprecated.
	Deprecated string
}

// Param describes a parameter for users.
type Param struct {
	// Name is the name of the argument in messages and documentation, in lower case
	// with underscores. Arguments are passed by position.
	Name string
	// Description is the documentation of the argument, as Markdown.
	Description string
	// Set makes the slice a set: elements are distinct and have no order.
	Set bool
}

// With returns the spec with more constraints. It is for specs that are generated
// from doc comments, which have none.
func (s FuncSpec) With(constraints ...Constraint) FuncSpec {
	s.Constraints = slices.Concat(s.Constraints, constraints)
	return s
}

// MakeFunc registers a Go function of one of these forms, where ctx may be omitted
// and the last parameter may be variadic:
//
//	func(ctx context.Context, a A, b B) (R, error)
//	func(ctx context.Context, a A, b B) R
//
// The types of the parameters and the result are those that fields of a resource may
// have, except that the attributes of a struct cannot be sensitive, writeonly,
// computed, volatile or a block: a function has no state, and its result is
// sensitive exactly if an argument is. The Defaults and Constraints of nested
// structs apply to arguments as well.
//
// An argument can be null if its Go type can hold null: a pointer (except
// [*big.Float]), a [Value], any, or a [cty.Value]. It can be unknown, or have
// unknown parts, only if the type has a [Value]; otherwise the result is unknown and
// the function is not called. A Value of cty.Value accepts every argument.
//
// The result is null if it is a nil pointer, a null Value, or nil in an any or a
// cty.Value. A nil slice or map as the result is empty, not null.
//
// A function computes its result from its arguments only: clients call it any number
// of times and compare the results. It has no access to the configuration of the
// provider, because clients call it before there is one. The context ends when the
// client asks to stop. The protocol has no warnings of functions: those of [Warn]
// are dropped, and if the returned error has only warnings, the result is used.
//
// [New] returns an error for an invalid function.
func MakeFunc(fn any, spec FuncSpec) FunctionRegistration {
	return FunctionRegistration{lazily(func() (*function, error) { return newFunction(fn, spec) })}
}

// ArgumentError returns err, if it is not nil, as an error about one argument, which
// clients show. The parameter is given by its name or by its position from zero,
// without the context. The name of a variadic parameter stands for the first of its
// arguments; the others have the positions after that. The text has no full stop,
// because clients embed it in a sentence.
func ArgumentError[P string | int](parameter P, err error) error {
	if err == nil {
		return nil
	}
	switch p := any(parameter).(type) {
	case string:
		return &namedArgument{p, err}
	case int:
		return &provider.FunctionArgumentError{Index: p, Err: err}
	}
	return err
}

// namedArgument is an error about the argument of the parameter with a name.
type namedArgument struct {
	name string
	err  error
}

func (e *namedArgument) Error() string { return e.err.Error() }
func (e *namedArgument) Unwrap() error { return e.err }

func (f *function) named(name string) reflect.Type {
	f.name, f.title = name, "the function "+name
	return noConfigType
}

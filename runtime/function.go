package runtime

import (
	"reflect"
	"slices"

	"github.com/posixform/terraform-provider-posix/provider"
)

// FunctionRegistration is a function ready to be part of a [Definition]. The
// zero value is not usable.
type FunctionRegistration struct{ registration[function] }

// FuncSpec is what the type of a Go function does not say about it. It can be
// generated from the doc comment, see cmd/describe.
type FuncSpec struct {
	// Summary says in one line what the function does.
	Summary string
	// Description is all that a user has to know, as Markdown.
	Description string
	// Parameters are those of the Go function in order, the context left out.
	Parameters []Param
	// Constraints are rules about the arguments, by the names of the parameters.
	// A rule about a value holds for each argument of a variadic parameter.
	Constraints []Constraint
	// ReturnsSet says that the slice which the function returns is a set.
	ReturnsSet bool
	// Deprecated says what to use instead; empty means nothing.
	Deprecated string
}

// Param is a parameter as users see it.
type Param struct {
	// Name is what messages and documentation call the argument, in lower case
	// with underscores. Arguments are given by position.
	Name string
	// Description is what a user has to know about the argument, as Markdown.
	Description string
	// Set says that the slice is a set: elements are distinct and have no order.
	Set bool
}

// With returns the spec with further constraints. It is for specs that are
// generated from doc comments, which have none.
func (s FuncSpec) With(constraints ...Constraint) FuncSpec {
	s.Constraints = slices.Concat(s.Constraints, constraints)
	return s
}

// MakeFunc registers a Go function of one of these forms, where ctx may be left
// out and the last parameter may be variadic:
//
//	func(ctx context.Context, a A, b B) (R, error)
//	func(ctx context.Context, a A, b B) R
//
// The types of parameters and result are those that fields of a resource may
// have, except that a struct's attributes cannot be sensitive, writeonly,
// computed, volatile or a block: a function has no state, and its result is
// sensitive exactly when an argument is. A nested struct's Defaults and
// Constraints hold for arguments as well.
//
// An argument can be null where its Go type has a place for that: a pointer
// (except [*big.Float]), a [Value], any, or a [cty.Value]. It can be unknown, or
// have unknown parts, only where the type holds a [Value]; otherwise the result
// is unknown and the function is not called. To see all there is, take a Value
// of cty.Value.
//
// The result is null where it is a nil pointer, a null Value, or nil in an any
// or a cty.Value. A nil slice or map as the result is empty, not null.
//
// A function computes its result from its arguments alone: clients call it as
// often as they like, and compare. It has no part of the provider's
// configuration, because clients call it before there is one. The context ends
// when the client asks to stop. The protocol has no place for warnings: those of
// [Warn] are dropped, and where a warning is all that is returned as an error, the
// result counts.
//
// Mistakes are reported by [New].
func MakeFunc(fn any, spec FuncSpec) FunctionRegistration {
	return FunctionRegistration{later(func() (*function, error) { return newFunction(fn, spec) })}
}

// ArgumentError makes err, if it is not nil, an error of one argument, which
// clients point at. The parameter is given by its name or by its position from
// zero, the context left out. The name of a variadic parameter stands for the
// first of its arguments; the others have the positions after that. The text has
// no full stop, because clients put words around it.
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

// namedArgument is an error of the argument for the parameter of a name.
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

package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// FunctionRegistration registers a function in a [Definition]. The zero value is
// not usable.
type FunctionRegistration struct{ registration[function] }

// FuncSpec describes a function beyond the type of the Go function. It can be
// generated from the doc comment; see cmd/describe.
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
	// ReturnsSet declares that the returned slice is a set.
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
	// Set declares that the argument, a slice, is a set: elements are distinct and have no order.
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
// have, except that the attributes of a struct cannot have the options sensitive,
// writeonly, computed, volatile, transient, block, replace or keep: a function has no
// state, and its result is sensitive if and only if an argument is. The Defaults and
// Constraints of nested structs apply to arguments as well.
//
// An argument can be null if its Go type can hold null: a pointer (except
// [*big.Float]), a [Value], any, or a [cty.Value]. It can be unknown, or have
// unknown parts, only if the type has a [Value]; otherwise the result is unknown and
// the function is not called. A Value of cty.Value accepts every argument.
//
// The result is null if it is a nil pointer, a null Value, or nil in an any or a
// cty.Value. A nil slice or map as the result is empty, not null.
//
// A function computes its result only from its arguments: clients call it any number
// of times and compare the results. It has no access to the configuration of the
// provider, because clients call it before there is one. The context ends when the
// client requests a stop. The protocol has no warnings for functions: those of [Warn] and
// of a [Constraint] are dropped, and if the returned error has only warnings, the result
// is used.
//
// [New] returns an error for an invalid function.
func MakeFunc(fn any, spec FuncSpec) FunctionRegistration {
	return FunctionRegistration{lazily(func() (*function, error) { return newFunction(fn, spec) })}
}

// ArgumentError returns err as an error about one argument, so that clients show which
// one it is about. It returns nil for nil. The parameter is given by its name or by its
// position from zero, without the context. The name of a variadic parameter stands for
// the first of its arguments; the others have the positions after that. The text should have no
// full stop, because clients embed it in a sentence.
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

// namedArgument is an error about the argument of the parameter with this name.
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

// CallFunction implements [provider.Interface].
func (s *server) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	f := s.functions[req.FunctionName]
	if f == nil {
		return provider.CallFunctionResponse{Err: diag.Diagnostic{
			Summary: "Unknown function", Detail: fmt.Sprintf("This provider has no function %q.", req.FunctionName),
		}}
	}
	if err := f.checkCount(len(req.Arguments)); err != nil {
		return provider.CallFunctionResponse{Err: err}
	}
	c := &call{typeName: f.title}
	if f.context {
		var leave func()
		ctx, leave = s.inProgress.join(ctx)
		defer leave()
		ctx = c.context(ctx)
	}
	var result cty.Value
	err := c.guardPanic(ctx, "call", func() (err error) {
		result, err = f.run(ctx, req.Arguments)
		return err
	})
	if failed(err) {
		return provider.CallFunctionResponse{Err: f.failure(err, len(req.Arguments))}
	}
	if n := len(c.diagnostics("", err)); n > 0 {
		tflog.Warn(ctx, "warnings of a function are dropped: the protocol does not have them", map[string]any{"function": f.name, "warnings": n})
	}
	return provider.CallFunctionResponse{Result: result}
}

// checkCount returns an error for too few or too many arguments, which clients do not send.
func (f *function) checkCount(n int) error {
	least, more := f.fixed(), ""
	if f.variadic {
		more = " or more"
	}
	if n == least || n > least && f.variadic {
		return nil
	}
	noun := "arguments"
	if least == 1 && !f.variadic {
		noun = "argument"
	}
	return fmt.Errorf("%s takes %d%s %s and got %d", f.title, least, more, noun, n)
}

// run calls the Go function, unless an argument is not known enough: the result is then unknown. The
// error may consist of warnings only.
func (f *function) run(ctx context.Context, args []cty.Value) (cty.Value, error) {
	in, known, err := f.arguments(ctx, args)
	switch {
	case err != nil:
		return cty.NilVal, err
	case !known:
		return f.result.unknown, nil
	}
	out, err := f.invoke(in)
	if failed(err) {
		return cty.NilVal, err
	}
	result, encodeErr := f.encode(out)
	if encodeErr != nil {
		if err := checkStrings(args); err != nil {
			return cty.NilVal, err
		}
		return cty.NilVal, fmt.Errorf("provider bug: the result cannot be encoded: %s; please report this", errorText(encodeErr))
	}
	return result, err
}

// checkStrings returns an error about the first argument with a string that is not valid
// UTF-8. It is called only if the result cannot be encoded: the result may have the bytes of
// such a string. No client sends one.
func checkStrings(args []cty.Value) error {
	for i, arg := range args {
		err := cty.Walk(arg, func(_ cty.Path, v cty.Value) (bool, error) {
			if usable(v) && v.Type() == cty.String && !utf8.ValidString(v.AsString()) {
				return false, errors.New("the string is not valid UTF-8")
			}
			return true, nil
		})
		if err != nil {
			return ArgumentError(i, err)
		}
	}
	return nil
}

// invoker returns a function that calls the Go function. For a short string a call by
// reflection costs more than everything else, so functions of strings, the most
// common ones, are called without it.
func (f *function) invoker(fn any) func(in []reflect.Value) (reflect.Value, error) {
	switch fn := fn.(type) {
	case func(string) string:
		return func(in []reflect.Value) (reflect.Value, error) {
			return inPlace(in[0], fn(in[0].String())), nil
		}
	case func(string) (string, error):
		return func(in []reflect.Value) (reflect.Value, error) {
			s, err := fn(in[0].String())
			return inPlace(in[0], s), err
		}
	case func(string, string) (string, error):
		return func(in []reflect.Value) (reflect.Value, error) {
			s, err := fn(in[0].String(), in[1].String())
			return inPlace(in[0], s), err
		}
	}
	call := f.fn.Call
	if f.variadic {
		call = f.fn.CallSlice
	}
	return func(in []reflect.Value) (out reflect.Value, err error) {
		results := call(in)
		if f.fails {
			err, _ = reflect.TypeAssert[error](results[1])
		}
		return results[0], err
	}
}

// inPlace stores a result in the argument, which was made for the call.
func inPlace(arg reflect.Value, result string) reflect.Value {
	arg.SetString(result)
	return arg
}

// encode returns the result of the Go function as a value.
func (f *function) encode(out reflect.Value) (cty.Value, error) {
	switch n := f.result; n.kind { //nolint:exhaustive // the others need no special case
	case kindList, kindSet, kindMap:
		if out.IsNil() {
			return n.empty(), nil
		}
	}
	return encoder{infinite: true}.value(f.result, out, cty.NilVal)
}

// arguments decodes and checks the arguments. Known is false if one is unknown and
// the Go function cannot take unknown values.
func (f *function) arguments(ctx context.Context, args []cty.Value) (in []reflect.Value, known bool, err error) {
	in = make([]reflect.Value, 0, 1+len(f.params))
	if f.context {
		in = append(in, reflect.ValueOf(ctx))
	}
	known = true
	var wrong problems
	fixed := f.fixed()
	for i, p := range f.params[:fixed] {
		x := reflect.New(p.node.goType).Elem()
		known = p.decode(args[i], x, i, &wrong) && known
		in = append(in, x)
	}
	if f.variadic {
		p, rest := f.params[fixed], args[fixed:]
		list := reflect.MakeSlice(reflect.SliceOf(p.node.goType), len(rest), len(rest))
		for i, arg := range rest {
			known = p.decode(arg, list.Index(i), fixed+i, &wrong) && known
		}
		in = append(in, list)
	}
	f.checkAmong(args, &wrong)
	return in, known, wrong.err()
}

// decode decodes and checks the argument at index, and adds its errors to wrong. It reports whether
// the argument is known enough for the Go function.
func (p *parameter) decode(arg cty.Value, x reflect.Value, index int, wrong *problems) (known bool) {
	if arg.IsNull() && !p.optional {
		wrong.add(index, errNull)
		return true
	}
	d := decoder{strict: true, defaults: true}
	d.value(p.node, arg, x)
	for _, err := range d.errs {
		wrong.add(index, err)
	}
	var broken diag.Diagnostics
	for _, r := range p.rules {
		broken = r.validate(arg, nil, broken)
	}
	if p.ruled {
		broken = p.node.check(arg, nil, broken)
	}
	for _, m := range broken {
		if m.Severity == diag.Error { // the protocol has no warnings for functions
			wrong.add(index, ruleError(m))
		}
	}
	return d.unknowns == 0 && (d.held == 0 || p.unknown)
}

// checkAmong adds the violations of the rules between parameters to wrong.
func (f *function) checkAmong(args []cty.Value, wrong *problems) {
	if len(f.among) == 0 {
		return
	}
	values := make(map[string]cty.Value, len(f.params))
	for i, p := range f.params {
		if i < len(args) {
			values[p.name] = args[i]
		}
	}
	object := cty.ObjectVal(values)
	for _, c := range f.among {
		for _, m := range c.among.check(c, object, nil, nil) {
			if m.Severity == diag.Warning {
				continue
			}
			index := -1
			if len(m.Path) > 0 {
				if step, ok := m.Path[0].(cty.GetAttrStep); ok {
					index, m.Path = f.position(step.Name), m.Path[1:]
				}
			}
			wrong.add(index, ruleError(m))
		}
	}
}

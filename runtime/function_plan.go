package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// function converts arguments and calls a Go function. It is compiled once,
// immutable after [New], and shared by all calls.
type function struct {
	name  string // set by New
	title string // for messages: "the function greet"
	decl  provider.FunctionDecl

	fn       reflect.Value
	context  bool // the first parameter of fn is a context
	variadic bool // the last parameter of fn is variadic
	fails    bool // the last result of fn is an error

	invoke func(in []reflect.Value) (out reflect.Value, err error)

	params []*parameter // a variadic one is the last
	result *node
	among  []Constraint // between parameters
}

// parameter is one parameter, or each argument of a variadic one.
type parameter struct {
	*field
	unknown bool         // the Go type accepts unknown values; see takesUnknown
	rules   []*valueRule // rules about the argument
	ruled   bool         // structs in it have rules
}

func newFunction(fn any, spec FuncSpec) (*function, error) {
	f := &function{fn: reflect.ValueOf(fn)}
	if f.fn.Kind() != reflect.Func || f.fn.IsNil() {
		return nil, fmt.Errorf("MakeFunc needs a function that is not nil, got %T", fn)
	}
	t := f.fn.Type()
	f.context = t.NumIn() > 0 && t.In(0) == contextType
	f.variadic = t.IsVariadic()
	if err := errors.Join(f.compileParams(t, spec.Parameters), f.compileResult(t, spec.ReturnsSet)); err != nil {
		return nil, err
	}
	bound, err := f.bind(spec.Constraints)
	if err != nil {
		return nil, err
	}
	f.invoke = f.invoker(fn)
	f.declare(spec, rules{own: bound})
	return f, nil
}

func (f *function) compileParams(t reflect.Type, params []Param) error {
	first := 0
	if f.context {
		first = 1
	}
	if n := t.NumIn() - first; n != len(params) {
		return fmt.Errorf("the function has %s (not counting a context), but the spec has %d; the function is %s", diag.Count(n, "parameter"), len(params), t)
	}
	var errs []error
	seen := make(map[string]bool, len(params))
	for i, p := range params {
		in := t.In(first + i)
		if f.variadic && i == len(params)-1 {
			in = in.Elem()
		}
		switch {
		case !isAttributeName(p.Name):
			errs = append(errs, fmt.Errorf("parameter %d has the name %q: a name must have only lower-case letters, digits and underscores, and must not start with a digit", i+1, p.Name))
		case seen[p.Name]:
			errs = append(errs, fmt.Errorf("two parameters have the name %q", p.Name))
		case in == contextType:
			errs = append(errs, fmt.Errorf("parameter %q is a context, which must be the first parameter", p.Name))
		}
		seen[p.Name] = true
		n, err := compileType(in, p.Set, 0)
		if err == nil {
			err = n.stateless()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("parameter %q: %w", p.Name, err))
			continue
		}
		f.params = append(f.params, &parameter{
			field: &field{
				tag: tag{name: p.Name, optional: n.holdsNull()}, node: n,
				owner: "parameter ", goName: p.Name, doc: p.Description,
			},
			unknown: n.takesUnknown(),
			ruled:   n.ruled(),
		})
	}
	return errors.Join(errs...)
}

func (f *function) compileResult(t reflect.Type, set bool) error {
	f.fails = t.NumOut() == 2 && t.Out(1) == errorType
	if t.NumOut() != 1 && !f.fails || t.Out(0) == errorType {
		return fmt.Errorf("the function must return a result, or a result and an error: it is %s", t)
	}
	var err error
	if f.result, err = compileType(t.Out(0), set, 0); err == nil {
		err = f.result.stateless()
	}
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// stateless returns an error for each field in n with an option that functions do not support.
func (n *node) stateless() error {
	var errs []error
	n.anyField(func(f *field) bool {
		if f.sensitive || f.writeOnly || f.computed || f.volatile || f.block || f.replace || f.keep {
			errs = append(errs, fmt.Errorf("%s: parameters and results of a function cannot have the options sensitive, writeonly, computed, volatile, transient, block, replace or keep", f.goStr()))
		}
		return false
	})
	return errors.Join(errs...)
}

// holdsNull reports whether the Go type can hold null. A *big.Float cannot: it is
// the type of numbers of any size.
func (n *node) holdsNull() bool {
	switch n.kind { //nolint:exhaustive // the others have none
	case kindPointer, kindValue, kindDynamic, kindAny:
		return true
	default:
		return false
	}
}

// takesUnknown reports whether the Go type accepts unknown values: whether it is or contains a
// [Value]. A cty.Value does not accept them: functions that take any type rarely expect unknown values.
func (n *node) takesUnknown() bool {
	return n.kind == kindValue || n.elem != nil && n.elem.takesUnknown() ||
		n.anyField(func(f *field) bool { return f.node.takesUnknown() })
}

// objects returns the node of the objects that n holds. For functions they may be at
// any depth of collections.
func (n *node) objects() *node {
	inner := n.innermost()
	if inner.elem == nil {
		return inner
	}
	return inner.elem.objects()
}

// bind returns the constraints bound to their parameters, and records them in f.
func (f *function) bind(constraints []Constraint) ([]Constraint, error) {
	byName := make(map[string]*field, len(f.params))
	for _, p := range f.params {
		byName[p.name] = p.field
	}
	var bound []Constraint
	var errs []error
	for _, c := range constraints {
		c, err := c.bind(byName)
		if err == nil && c.among != nil {
			err = f.allFixed(c)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("constraints: %w", err))
			continue
		}
		bound = append(bound, c)
		if c.value == nil {
			f.among = append(f.among, c)
			continue
		}
		p := f.params[f.position(c.fields[0])]
		p.rules = append(p.rules, c.value)
	}
	return bound, errors.Join(errs...)
}

// allFixed returns an error for a rule between parameters that names a variadic one.
func (f *function) allFixed(c Constraint) error {
	for _, name := range c.fields {
		if f.position(name) >= f.fixed() {
			return fmt.Errorf("%s names %q, which is variadic and has no single value", c.kind, name)
		}
	}
	return nil
}

// fixed returns the number of parameters that are not variadic.
func (f *function) fixed() int {
	if f.variadic {
		return len(f.params) - 1
	}
	return len(f.params)
}

// position returns the index of the parameter with the name, or -1.
func (f *function) position(name string) int {
	return slices.IndexFunc(f.params, func(p *parameter) bool { return p.name == name })
}

// declare sets the declaration for clients.
func (f *function) declare(spec FuncSpec, rules rules) {
	f.decl = provider.FunctionDecl{
		ReturnType:         f.result.ctyType,
		Summary:            spec.Summary,
		Description:        spec.Description,
		DescriptionKind:    configschema.StringMarkdown,
		DeprecationMessage: spec.Deprecated,
	}
	for i, p := range f.params {
		param := provider.FunctionParam{
			Name:               p.name,
			Type:               p.node.ctyType,
			AllowNullValue:     p.optional,
			AllowUnknownValues: p.unknown,
			Description:        rules.describe(p.field),
			DescriptionKind:    configschema.StringMarkdown,
		}
		if i == f.fixed() {
			f.decl.VariadicParameter = &param
			continue
		}
		f.decl.Parameters = append(f.decl.Parameters, param)
	}
}

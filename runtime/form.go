package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// form is one kind of object: the struct of its inputs, optionally one of outputs, and the
// schema of both. All families of types use it. It is immutable after [New] and shared by
// all calls.
type form struct {
	body    *configschema.Block
	ctyType cty.Type
	null    cty.Value
	codec   lazyCodec

	attrs  []*attribute
	byName map[string]*attribute
	ins    []*attribute // those that are inputs
	outs   []*attribute // those that are outputs
	rules  rules        // constraints of the inputs

	timeouts timeouts

	broken []string // names of attributes with mistakes, during registration
}

// lazyCodec is the codec of an object type. It is compiled on first use, because a run uses
// only a few of the provider's types. It is safe for concurrent use.
type lazyCodec struct {
	ty    cty.Type
	once  sync.Once
	codec *wire.Codec
}

func (l *lazyCodec) get() *wire.Codec {
	l.once.Do(func() { l.codec = wire.NewCodec(l.ty) })
	return l.codec
}

// formSpec is the input of newForm.
type formSpec struct {
	in  reflect.Type // a struct
	out reflect.Type // a struct, or nil if there are no outputs
	// fresh returns a new receiver: the addressable struct of the inputs.
	fresh func() reflect.Value
	// reserved are the meta-arguments of every block of this kind.
	reserved map[string]bool
	// stored is set if the object is stored, so that it can be updated or replaced.
	stored bool
	// timeouts is the type of the attribute for timeouts, nil if there is none.
	timeouts reflect.Type
}

// newForm returns the form. With an error it returns what it could compile, so that the
// caller can find more mistakes.
func newForm(spec formSpec) (*form, error) {
	ins, outs := walkFields(spec.in, 0), fieldWalk{}
	if spec.out != nil {
		outs = walkFields(spec.out, 0)
	}
	errs := slices.Concat(ins.errs, outs.errs)
	if !spec.stored {
		for _, x := range slices.Concat(ins.fields, outs.fields) {
			if x.replace || x.keep || x.node.anyField(replaces) {
				errs = append(errs, fmt.Errorf("%s: only managed resources have the options replace and keep", x.goStr()))
			}
		}
	}
	f := &form{byName: make(map[string]*attribute, len(ins.fields)), broken: slices.Concat(ins.broken, outs.broken)}
	attrs, broken, err := mergeFields(f.unbroken(ins.fields), f.unbroken(outs.fields), spec.reserved)
	if err != nil {
		errs = append(errs, err)
		f.broken = append(f.broken, broken...)
		attrs = slices.DeleteFunc(attrs, func(a *attribute) bool { return f.isBroken(a.name) })
	}
	f.attrs = attrs
	f.ins, f.outs = make([]*attribute, 0, len(ins.fields)), make([]*attribute, 0, len(outs.fields))
	for i, a := range attrs {
		a.pos = i
		f.byName[a.name] = a
		if a.in != nil {
			f.ins = append(f.ins, a)
		}
		if a.out != nil {
			f.outs = append(f.outs, a)
		}
	}
	probe := spec.fresh().Addr()
	errs = append(errs, f.readInputs(ins.fields, probe, spec))
	f.timeouts, err = newTimeouts(f, probe, spec)
	if err := errors.Join(append(errs, err)...); err != nil {
		return f, err
	}
	f.body = f.block(descriptionsOf(spec.in)[spec.in.Name()])
	if err := f.body.InternalValidate(); err != nil {
		return f, err
	}
	f.ctyType = f.body.ImpliedType()
	f.null = cty.NullVal(f.ctyType)
	f.codec.ty = f.ctyType
	return f, nil
}

// isBroken reports whether a mistake in the attribute has been reported.
func (f *form) isBroken(name string) bool { return slices.Contains(f.broken, name) }

// unbroken returns the fields of attributes without mistakes.
func (f *form) unbroken(fields []*field) []*field {
	if len(f.broken) == 0 {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(x *field) bool { return f.isBroken(x.name) })
}

var (
	defaulterType            = reflect.TypeFor[Defaulter]()
	conditionalDefaulterType = reflect.TypeFor[ConditionalDefaulter]()
)

// readInputs reads the defaults, from a receiver of their own, and the constraints
// of the inputs.
func (f *form) readInputs(ins []*field, probe reflect.Value, spec formSpec) error {
	var errs []error
	if reflect.PointerTo(spec.in).Implements(defaulterType) {
		filled := spec.fresh()
		filled.Addr().Interface().(Defaulter).Defaults() //nolint:forcetypeassert // just checked
		if err := setDefaults(f.attrs, filled); err != nil {
			errs = append(errs, fmt.Errorf("method Defaults: %w", err))
		}
	}
	// Only managed resources have conditional defaults.
	if spec.stored && reflect.PointerTo(spec.in).Implements(conditionalDefaulterType) {
		for _, a := range f.attrs {
			if a.in == nil {
				continue
			}
			filled := spec.fresh()
			filled.Addr().Interface().(ConditionalDefaulter).DefaultsWith(a.name) //nolint:forcetypeassert // just checked
			if err := setDefaultsWith(f.attrs, a, filled); err != nil {
				errs = append(errs, fmt.Errorf("method DefaultsWith: %w", err))
			}
		}
	}
	var err error
	if f.rules, err = rulesOf(probe, f.unbroken(ins), f.broken); err != nil {
		errs = append(errs, fmt.Errorf("method Constraints: %w", err))
	}
	return errors.Join(errs...)
}

// attr returns an attribute of a known object of the form.
func (f *form) attr(object cty.Value, a *attribute) cty.Value {
	return f.codec.get().Attribute(object, a.pos)
}

// object returns the object with the values of the attributes, which are in the order of f.attrs.
func (f *form) object(values []cty.Value) cty.Value {
	o := f.codec.get().NewObject()
	for i, v := range values {
		o.Set(f.attrs[i].name, v)
	}
	return o.Value()
}

// check returns all errors in a configuration, perhaps partly unknown, that can be
// found without the configuration of the provider: values that a Go type cannot hold, texts
// that a type cannot parse, missing values and violated constraints. It also returns the warnings
// of UnmarshalText and of constraints, and those about deprecations.
func (f *form) check(ctx context.Context, c *call, config cty.Value, fresh func() reflect.Value) diag.Diagnostics {
	if !usable(config) {
		return nil
	}
	d := decoder{strict: true, defaults: true, finite: true, warnings: true}
	err := c.guardPanic(ctx, "UnmarshalText", func() error {
		f.decodeConfig(&d, config, fresh())
		return d.err()
	})
	var broken diag.Diagnostics
	panicked := c.guardPanic(ctx, "Check", func() error {
		broken = f.rules.check(config, nil, nil)
		return nil
	})
	broken = append(broken, f.deprecations(c.typeName, config)...)
	return append(c.diagnostics(invalidValue, errors.Join(err, panicked)), c.placed(broken)...)
}

// decodeConfig decodes a configuration into a receiver, with defaults for inputs that it
// does not set.
func (f *form) decodeConfig(d *decoder, config cty.Value, receiver reflect.Value) {
	for _, a := range f.ins {
		d.field(a.in, f.attr(config, a), receiver)
	}
}

// answer returns the object of a configuration and outputs, for types without state. An
// attribute that only the inputs have gets the configured value or the default. An optional
// attribute that is not configured is null. Any other attribute gets the value of the outputs, in
// the configured form if the two values are equivalent or name the same thing.
func (f *form) answer(cfg any, config cty.Value, out reflect.Value) (cty.Value, error) {
	values := make([]cty.Value, len(f.attrs))
	for i, a := range f.attrs {
		configured := cty.NullVal(a.node.ctyType)
		if a.in != nil {
			configured = f.attr(config, a)
		}
		var err error
		switch {
		case a.writeOnly():
			values[i] = a.node.null
		case a.out == nil && configured.IsNull() && a.class == classDefault:
			values[i] = a.in.fallback()
		case a.out == nil:
			values[i] = configured
		case a.class == classOptional && configured.IsNull() && !a.block():
			values[i] = a.node.null
		default:
			values[i], err = encoder{held: a.in != nil}.field(a.out, out, configured)
			if err == nil && sameName(cfg, a.name, configured, values[i]) {
				values[i] = configured
			}
		}
		if err != nil {
			return cty.NilVal, err
		}
	}
	return f.object(values), nil
}

package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// class is how the value of an attribute is determined.
type class uint8

const (
	// classRequired is for attributes that the configuration must set.
	classRequired class = iota
	// classOptional is for attributes that are null if the configuration does not set them.
	classOptional
	// classDefault is for attributes that have a default if the configuration does not set them.
	classDefault
	// classChosen is for attributes that the provider sets if the configuration does not.
	classChosen
	// classComputed is for attributes that only the provider sets.
	classComputed
)

// attribute is one top-level attribute or block of a form: a field of the
// inputs, of the outputs, or both.
type attribute struct {
	name string
	pos  int    // index among the attributes of the type, sorted by name
	in   *field // nil for outputs
	out  *field // nil for inputs that are not read back
	node *node

	class    class
	volatile bool
	keep     bool // an update keeps the value that the provider has determined

	transient bool // null in the prior state of each run
}

func (a *attribute) path() cty.Path { return cty.GetAttrPath(a.name) }

// writeOnly reports whether the attribute is never stored.
func (a *attribute) writeOnly() bool { return a.in != nil && a.in.writeOnly }

// sensitive reports whether the values of the attribute are hidden.
func (a *attribute) sensitive() bool {
	return a.in != nil && a.in.sensitive || a.out != nil && a.out.sensitive
}

// chooses reports whether the provider determines attributes inside a configured
// object.
func (a *attribute) chooses() bool {
	return a.in != nil && a.node.resolves && a.node.anyField(func(f *field) bool { return f.computed })
}

// block reports whether the attribute is a nested block.
func (a *attribute) block() bool { return a.field().block }

// field returns the field of the inputs, or that of the outputs if there is none.
func (a *attribute) field() *field {
	if a.in != nil {
		return a.in
	}
	return a.out
}

// mergeFields combines the fields of inputs and outputs, sorted by name. It also returns the
// names of the attributes with mistakes.
func mergeFields(ins, outs []*field, reserved map[string]bool) (_ []*attribute, broken []string, _ error) {
	size := len(outs)
	for _, f := range ins {
		if _, both := slices.BinarySearchFunc(outs, f.name, func(o *field, name string) int { return strings.Compare(o.name, name) }); !both {
			size++
		}
	}
	all := make([]attribute, size) // one allocation for all
	attrs := make([]*attribute, size)
	var errs []error
	for i := range all {
		a := &all[i]
		attrs[i] = a
		if len(outs) == 0 || len(ins) > 0 && ins[0].name <= outs[0].name {
			a.in, ins = ins[0], ins[1:]
		}
		if len(outs) > 0 && (a.in == nil || a.in.name == outs[0].name) {
			a.out, outs = outs[0], outs[1:]
		}
		if err := a.merge(reserved); err != nil {
			errs = append(errs, err)
			broken = append(broken, a.name)
		}
	}
	return attrs, broken, errors.Join(errs...)
}

// merge derives the attribute from its fields. If one of them is sensitive, both become sensitive. An input
// without a doc comment or a deprecation message gets that of the output.
func (a *attribute) merge(reserved map[string]bool) error {
	f := a.field()
	a.name, a.node = f.name, f.node
	var errs []error
	if in := a.in; in != nil {
		if reserved[in.name] {
			errs = append(errs, fmt.Errorf("%s: the name %q is reserved in every block of this kind; choose another name", in.goStr(), in.name))
		}
		if in.volatile {
			errs = append(errs, fmt.Errorf("%s: only outputs can be volatile or transient", in.goStr()))
		}
		if in.computed {
			errs = append(errs, fmt.Errorf("%s: move the option computed to the field of the outputs", in.goStr()))
		}
		if in.keep {
			errs = append(errs, fmt.Errorf("%s: move the option keep to the field of the outputs", in.goStr()))
		}
	}
	if out := a.out; out != nil {
		if out.writeOnly {
			errs = append(errs, fmt.Errorf("%s: an output cannot be writeonly", out.goStr()))
		}
		if out.replace {
			errs = append(errs, fmt.Errorf("%s: move the option replace to the field of the inputs", out.goStr()))
		}
		if a.in == nil && out.node.anyField(replaces) {
			errs = append(errs, fmt.Errorf("%s: an attribute inside it has the option replace, which only inputs can have", out.goStr()))
		}
		a.volatile, a.transient, a.keep = out.volatile, out.transient, out.keep
		if a.in != nil && a.sensitive() {
			a.in.sensitive, out.sensitive = true, true
		}
		if out.transient && !out.node.nullable() && !out.optional {
			errs = append(errs, fmt.Errorf("%s: a transient output must be a pointer, or tagged optional, since it is null between runs", out.goStr()))
		}
		if a.in != nil && a.in.doc == "" {
			a.in.doc = out.doc
		}
		if a.in != nil && a.in.deprecated == "" {
			a.in.deprecated = out.deprecated
		}
		if err := a.agree(); err != nil {
			errs = append(errs, err)
		}
	}
	a.class = a.classify()
	if a.out == nil && a.chooses() {
		errs = append(errs, fmt.Errorf("%s has computed attributes inside it, so it needs a field in the outputs too", a.in.goStr()))
	}
	return errors.Join(errs...)
}

// agree checks that both fields of a shared attribute are declared consistently.
func (a *attribute) agree() error {
	in, out := a.in, a.out
	if in == nil {
		if out.block {
			return fmt.Errorf("%s: a block is configured, so it needs a field in the inputs too", out.goStr())
		}
		return nil
	}
	switch {
	case in.set != out.set: // before the types, which differ because of it
		return fmt.Errorf("%s and %s must both be tagged set, or neither", in.goStr(), out.goStr())
	case pointee(in.node.goType) != pointee(out.node.goType) || !in.node.ctyType.Equals(out.node.ctyType):
		return fmt.Errorf("%s and %s share the attribute %q but have different types (%s and %s)",
			in.goStr(), out.goStr(), a.name, in.node.goType, out.node.goType)
	case in.writeOnly:
		return fmt.Errorf("%s: a write-only input is never stored, so %s cannot return it", in.goStr(), out.goStr())
	case out.computed && in.required():
		return fmt.Errorf("%s: the provider cannot choose the value of a required input; make %s a pointer, tag it optional, or remove computed", out.goStr(), in.goStr())
	case in.block != out.block:
		return fmt.Errorf("%s and %s must both be tagged block, or neither", in.goStr(), out.goStr())
	case out.volatile:
		return fmt.Errorf("%s: an attribute that is configured cannot be volatile or transient", out.goStr())
	case out.keep && !out.computed:
		return fmt.Errorf("%s: keep is an option of values that the provider determines; add computed, or remove keep", out.goStr())
	}
	return nil
}

func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t != bigFloatType {
		t = t.Elem()
	}
	return t
}

func (a *attribute) classify() class {
	switch {
	case a.in == nil:
		return classComputed
	case a.in.required():
		return classRequired
	case a.out != nil && a.out.computed:
		return classChosen
	default:
		return classOptional
	}
}

// setDefaults records the defaults of attrs from a receiver on which Defaults was called.
func setDefaults(attrs []*attribute, filled reflect.Value) error {
	var errs []error
	for _, a := range attrs {
		if a.in == nil {
			continue
		}
		if err := a.in.takeDefault(filled); err != nil {
			errs = append(errs, err)
			continue
		}
		switch {
		case a.in.def == cty.NilVal:
		case a.out != nil && a.out.computed:
			errs = append(errs, fmt.Errorf("%s: an attribute cannot have a default and be computed", a.in.goStr()))
		default:
			a.class = classDefault
		}
	}
	return errors.Join(errs...)
}

// setDefaultsWith records the defaults of attrs that apply if the configuration sets the attribute with,
// from a receiver on which DefaultsWith was called.
func setDefaultsWith(attrs []*attribute, with *attribute, filled reflect.Value) error {
	var errs []error
	for _, a := range attrs {
		if a.in == nil || a.in.in(filled).IsZero() {
			continue
		}
		v, err := a.in.readDefault(filled)
		if err == nil && a.class != classDefault {
			err = fmt.Errorf("%s: DefaultsWith sets a default for the case that %s is configured, but Defaults sets none", a.in.goStr(), with.name)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.in.defsWith = append(a.in.defsWith, defaultWith{with, v})
	}
	return errors.Join(errs...)
}

// defaultWith is a default that applies if the configuration sets an attribute.
type defaultWith struct {
	attribute *attribute
	value     cty.Value
}

// orDefault returns v, the value of the field in a configuration, or the default that applies there if v is
// null. certain is false if the default depends on whether an unknown value is null.
func (f *field) orDefault(v, config cty.Value) (_ cty.Value, certain bool) {
	if !v.IsNull() || f.def == cty.NilVal {
		return v, true
	}
	for _, d := range f.defsWith {
		if set, certain := d.attribute.in.isConfigured(config.GetAttr(d.attribute.name)); set {
			return d.value, certain
		}
	}
	return f.def, true
}

// ruleValue is orDefault for rules: the value is unknown if the default is not certain.
func (f *field) ruleValue(v, config cty.Value) cty.Value {
	value, certain := f.orDefault(v, config)
	if !certain {
		return f.node.unknown
	}
	return value
}

// takeDefault records the value that Defaults has set, if it is not the zero value, as the default of the field.
func (f *field) takeDefault(filled reflect.Value) error {
	if f.in(filled).IsZero() {
		return nil
	}
	v, err := f.readDefault(filled)
	if err == nil {
		f.def = v
	}
	return err
}

// readDefault returns the value of the field, or an error if it is not valid as a default.
func (f *field) readDefault(filled reflect.Value) (cty.Value, error) {
	v, err := encoder{sparse: true}.field(f, filled, cty.NilVal)
	switch {
	case err != nil:
	case f.writeOnly || f.block:
		err = fmt.Errorf("%s: a write-only input or a block cannot have a default", f.goStr())
	case f.computed:
		err = fmt.Errorf("%s: an attribute cannot have a default and be computed", f.goStr())
	case !v.IsWhollyKnown() || v.IsNull():
		err = fmt.Errorf("%s: a default must be known and not null", f.goStr())
	}
	return v, err
}

// fallback returns the default with unknown values in place of those that the provider
// determines.
func (f *field) fallback() cty.Value { return resolver{}.value(f.node, f.def, cty.NilVal) }

package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ExactlyOneOf requires exactly one of the attributes to be set.
func ExactlyOneOf(fields ...string) Constraint {
	return Constraint{kind: "ExactlyOneOf", fields: fields, among: group{least: true, most: true}}
}

// AtLeastOneOf requires at least one of the attributes to be set.
func AtLeastOneOf(fields ...string) Constraint {
	return Constraint{kind: "AtLeastOneOf", fields: fields, among: group{least: true}}
}

// AtMostOneOf allows at most one of the attributes to be set.
func AtMostOneOf(fields ...string) Constraint {
	return Constraint{kind: "AtMostOneOf", fields: fields, among: group{most: true}}
}

// RequiredTogether requires either all of the attributes to be set, or none of them.
func RequiredTogether(fields ...string) Constraint {
	return Constraint{kind: "RequiredTogether", fields: fields, among: together{}}
}

// RequiredWhen requires field when other has one of the values, configured or by
// default. Without values, it requires field when other is set.
func RequiredWhen(field, other string, values ...any) Constraint {
	return Constraint{kind: "RequiredWhen", fields: []string{field, other}, among: conditional{values: values, required: true}}
}

// ForbiddenWhen forbids field when other has one of the values, configured or by
// default. Without values, it forbids field when other is set.
func ForbiddenWhen(field, other string, values ...any) Constraint {
	return Constraint{kind: "ForbiddenWhen", fields: []string{field, other}, among: conditional{values: values}}
}

// isSet reports whether an attribute is set, and whether that is certain: an unknown
// value may turn out to be null, unless it is refined to be not null.
func isSet(v cty.Value) (set, certain bool) {
	if v.IsKnown() {
		return !v.IsNull(), true
	}
	return true, v.Range().DefinitelyNotNull()
}

// sets returns the attributes of a constraint that are certain to be set, and those
// that are certain not to be.
func sets(fields []string, object cty.Value) (set, unset []string) {
	for _, name := range fields {
		switch is, certain := isSet(object.GetAttr(name)); {
		case !certain:
		case is:
			set = append(set, name)
		default:
			unset = append(unset, name)
		}
	}
	return set, unset
}

// mayBeUnset returns an error for blocks and required fields: a rule about whether such a
// field is set is a mistake.
func mayBeUnset(fields []*field) error {
	for _, f := range fields {
		switch {
		case f.block:
			return fmt.Errorf("%q is a block, but the rule is only for attributes", f.name)
		case f.required():
			return fmt.Errorf("%q is always required", f.name)
		}
	}
	return nil
}

func several(fields []*field) error {
	if len(fields) < 2 {
		return errors.New("at least two attributes are needed")
	}
	return mayBeUnset(fields)
}

// group requires at least one of the attributes, allows at most one, or does both.
type group struct{ least, most bool }

func (g group) bind(fields []*field) (among, error) { return g, several(fields) }

func (g group) check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	set, unset := sets(c.fields, object)
	if g.most && len(set) > 1 {
		for _, name := range set[1:] {
			out = out.Errorf(at.GetAttr(name), "Conflicting arguments",
				"Only one of %s can be set, and %s is already set. Remove one of them.", quoted(c.fields), set[0])
		}
	}
	if g.least && len(unset) == len(c.fields) {
		out = out.Errorf(at.Copy(), "Missing argument", "One of %s must be set.", quoted(c.fields))
	}
	return out
}

func (g group) describe(c Constraint, name string) string {
	switch {
	case g.least && g.most:
		return "Exactly one of " + listed(codes(c.fields), "or") + " must be set."
	case g.least:
		return "At least one of " + listed(codes(c.fields), "or") + " must be set."
	default:
		return "Conflicts with " + others(c.fields, name) + "."
	}
}

// others returns the attributes except name as Markdown.
func others(fields []string, name string) string {
	rest := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == name })
	return listed(codes(rest), "and")
}

// codes returns the names as Markdown.
func codes(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "`" + name + "`"
	}
	return out
}

// together requires all of the attributes or none.
type together struct{}

func (t together) bind(fields []*field) (among, error) { return t, several(fields) }

func (together) check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	set, unset := sets(c.fields, object)
	if len(set) == 0 {
		return out
	}
	for _, name := range unset {
		out = out.Errorf(at.GetAttr(name), "Missing argument", "%s must be set too when %s is set.", name, quoted(set))
	}
	return out
}

func (together) describe(c Constraint, name string) string {
	return "Must be set together with " + others(c.fields, name) + "."
}

// conditional requires or forbids the first attribute, depending on the value of the
// second.
type conditional struct {
	values   []any
	required bool
	bound    []cty.Value // values converted to the type of the second attribute
	other    *field      // the second attribute
}

func (r conditional) bind(fields []*field) (_ among, err error) {
	r.other = fields[1]
	if r.bound, err = constants(r.other.node, r.values); err != nil {
		return nil, err
	}
	if len(r.values) == 0 {
		return r, mayBeUnset(fields)
	}
	return r, mayBeUnset(fields[:1])
}

// holds reports whether the condition is certain to hold.
func (r conditional) holds(object cty.Value) bool {
	v := object.GetAttr(r.other.name)
	if len(r.bound) == 0 {
		set, certain := isSet(v)
		return set && certain
	}
	return r.other.node.innermost().among(r.other.ruleValue(v, object), r.bound)
}

func (r conditional) check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	name, other := c.fields[0], c.fields[1]
	set, certain := isSet(object.GetAttr(name))
	if !certain || set == r.required || !r.holds(object) {
		return out
	}
	if r.required {
		return out.Errorf(at.GetAttr(name), "Missing argument", "%s must be set when %s %s.", name, other, r.condition(`"`))
	}
	return out.Errorf(at.GetAttr(name), "Conflicting arguments", "%s cannot be set when %s %s. Remove one of them.", name, other, r.condition(`"`))
}

// condition returns the text after "when other".
func (r conditional) condition(quote string) string {
	if len(r.bound) == 0 {
		return "is set"
	}
	return "is " + listed(quotedValues(r.bound, quote), "or")
}

func (r conditional) describe(c Constraint, name string) string {
	switch {
	case name != c.fields[0]:
		return ""
	case r.required:
		return "Required when `" + c.fields[1] + "` " + r.condition("`") + "."
	default:
		return "Cannot be set when `" + c.fields[1] + "` " + r.condition("`") + "."
	}
}

// CheckTogether requires check to return nil for the values of several attributes. Check
// is a function with one parameter for each attribute, in this order, that returns an error.
// Text is a sentence for the descriptions of all of them: "`first` must not exceed `last`";
// if it is empty, the descriptions do not mention the rule.
//
// The type of a parameter is that of the field, with or without a pointer or [Value] around
// it. It determines for which values check is called: a Value, even inside structs, can be
// unknown or null; a pointer, an any or a cty.Value can be null; values of other types are known
// and set. For other values check is not called, so it never depends on a value that is not known
// yet. An attribute that is not configured has its default.
//
// An error without a path is about the first attribute. [diag.AttributeErrorf] returns an error
// about another attribute, and [diag.AsWarning] turns an error into a warning.
func CheckTogether(text string, check any, fields ...string) Constraint {
	return Constraint{kind: "CheckTogether", fields: fields, among: joint{text: text, accept: reflect.ValueOf(check)}}
}

// joint calls a function with the values of several attributes.
type joint struct {
	text   string
	accept reflect.Value
	// params are the types of the parameters, and fields the attributes.
	params []*node
	fields []*field
}

func (j joint) bind(fields []*field) (among, error) {
	if len(fields) < 2 {
		return nil, errors.New("at least two attributes are needed")
	}
	if !j.accept.IsValid() || j.accept.Kind() != reflect.Func || j.accept.IsNil() {
		return nil, errors.New("check is not a function")
	}
	t := j.accept.Type()
	if t.NumIn() != len(fields) || t.IsVariadic() || t.NumOut() != 1 || t.Out(0) != errorType {
		return nil, fmt.Errorf("check must have a parameter for each of the %d attributes and return an error; it is %s", len(fields), t)
	}
	for i, f := range fields {
		n, err := compileType(t.In(i), f.set, 0)
		if err != nil || n.innermost().goType != f.node.innermost().goType {
			return nil, fmt.Errorf("the Go type of %q is %s, but check takes %s", f.name, f.node.goType, t.In(i))
		}
		j.params = append(j.params, n)
	}
	j.fields = fields
	return j, nil
}

func (j joint) check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	args, ok := j.arguments(object)
	if !ok {
		return out
	}
	err, _ := reflect.TypeAssert[error](j.accept.Call(args)[0])
	for _, m := range diag.FromError(invalidValue, err) {
		if len(m.Path) == 0 {
			m.Path = cty.GetAttrPath(c.fields[0])
		}
		m.Path = append(at.Copy(), m.Path...)
		out = append(out, m)
	}
	return out
}

// arguments returns the arguments for the function. It reports whether the parameters can hold
// the values, of which some may be null or unknown.
func (j joint) arguments(object cty.Value) (args []reflect.Value, ok bool) {
	d := decoder{strict: true, defaults: true, configured: true}
	args = make([]reflect.Value, len(j.params))
	for i, n := range j.params {
		v := j.fields[i].ruleValue(object.GetAttr(j.fields[i].name), object)
		if v.IsNull() && !n.nullable() {
			return nil, false
		}
		args[i] = reflect.New(n.goType).Elem()
		d.value(n, v, args[i])
	}
	return args, d.unknowns == 0 && d.err() == nil // errors in values are reported elsewhere
}

func (j joint) describe(Constraint, string) string { return sentence(j.text) }

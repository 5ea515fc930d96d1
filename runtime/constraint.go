package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Constraint is a rule about inputs that can be checked from the configuration. The
// Constraints method of a struct declares the rules about its attributes. The texts of the
// rules are part of the descriptions of the attributes. The rules are checked during validation
// and in the plan of an action, as far as values are known, and again when all values are known:
// before an apply, and before a method such as Read of a data source or Open.
//
// Rules between attributes are [ExactlyOneOf], [AtLeastOneOf], [AtMostOneOf],
// [RequiredTogether], [RequiredWhen], [ForbiddenWhen] and [CheckTogether]. Rules about
// the value of one attribute are [Range], [AtLeast], [AtMost], [OneOf], [Length],
// [Pattern] and [Check], and [Each] and [Keys] of them.
type Constraint struct {
	kind   string   // name of the constructor, for error messages
	fields []string // names of the attributes that it is about
	// Exactly one of among and value is set.
	among among
	value *valueRule
}

// among is a rule between attributes.
type among interface {
	// bind returns the rule for fields, which are those of the constraint in order.
	bind(fields []*field) (among, error)
	// check appends the violations by object, which is known; at is its path.
	check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics
	// describe returns the sentence for the description of one of the attributes, or
	// "".
	describe(c Constraint, name string) string
}

// rules are the constraints of one struct, and its fields whose structs have
// constraints of their own. The zero value checks nothing.
type rules struct {
	own    []Constraint
	nested []*field
}

// rulesOf returns the constraints of a struct, bound to its fields, without those that name
// one of the broken attributes.
func rulesOf(pointer reflect.Value, fields []*field, broken []string) (rules, error) {
	var r rules
	for _, f := range fields {
		if f.node.ruled() {
			r.nested = append(r.nested, f)
		}
	}
	c, ok := reflect.TypeAssert[Constrainer](pointer)
	if !ok {
		return r, nil
	}
	byName := make(map[string]*field, len(fields))
	for _, f := range fields {
		byName[f.name] = f
	}
	var errs []error
	for _, con := range c.Constraints() {
		if slices.ContainsFunc(con.fields, func(name string) bool { return slices.Contains(broken, name) }) {
			continue
		}
		bound, err := con.bind(byName)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.own = append(r.own, bound)
		if bound.value != nil {
			errs = append(errs, bound.fitsDefault(byName[bound.fields[0]]))
		}
	}
	return r, errors.Join(errs...)
}

// bind returns the constraint for the fields that it names, or an error if it cannot apply to them.
func (c Constraint) bind(byName map[string]*field) (Constraint, error) {
	if c.among == nil && c.value == nil {
		return c, errors.New("a constraint is empty; use ExactlyOneOf, Range or another constructor")
	}
	fields := make([]*field, len(c.fields))
	for i, name := range c.fields {
		f := byName[name]
		switch {
		case f == nil:
			return c, fmt.Errorf("%s names %q, which is not an input", c.kind, name)
		case f.computedOnly():
			return c, fmt.Errorf("%s names %q, which is never configured", c.kind, name)
		case slices.Contains(c.fields[:i], name):
			return c, fmt.Errorf("%s names %q twice", c.kind, name)
		}
		fields[i] = f
	}
	if c.value != nil {
		bound, err := c.value.bind(fields[0])
		if err != nil {
			return c, fmt.Errorf("%s of %q: %w", c.kind, c.fields[0], err)
		}
		c.value = bound
		return c, nil
	}
	bound, err := c.among.bind(fields)
	if err != nil {
		return c, fmt.Errorf("%s: %w", c.kind, err)
	}
	c.among = bound
	return c, nil
}

// fitsDefault checks the defaults of a field against a constraint on it.
func (c Constraint) fitsDefault(f *field) error {
	if f.def == cty.NilVal {
		return nil
	}
	broken := c.value.validate(f.def, nil, nil)
	for _, d := range f.defsWith {
		broken = c.value.validate(d.value, nil, broken)
	}
	for _, m := range broken {
		if m.Severity == diag.Error {
			return fmt.Errorf("the default of %q violates a rule: %s", f.name, m.Detail)
		}
	}
	return nil
}

// check appends the violations by object, a configuration that may be partly
// unknown; at is its path.
func (r rules) check(object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	for _, c := range r.own {
		if c.value != nil {
			name := c.fields[0]
			out = c.value.validate(object.GetAttr(name), at.GetAttr(name), out)
			continue
		}
		out = c.among.check(c, object, at, out)
	}
	for _, f := range r.nested {
		out = f.node.check(object.GetAttr(f.name), at.GetAttr(f.name), out)
	}
	return out
}

// empty reports whether there is nothing to check.
func (r rules) empty() bool { return len(r.own) == 0 && len(r.nested) == 0 }

// ruled reports whether objects in n have constraints, at any depth.
func (n *node) ruled() bool {
	inner := n.innermost()
	return !inner.rules.empty() || inner.elem != nil && inner.elem.ruled()
}

// check is rules.check for all objects in v.
func (n *node) check(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	nested := n.objects()
	n.eachObject(v, at, func(object cty.Value, at cty.Path) {
		out = nested.rules.check(object, at, out)
	})
	return out
}

// eachObject calls f with the known objects directly in v, and their paths.
func (n *node) eachObject(v cty.Value, at cty.Path, f func(object cty.Value, at cty.Path)) {
	if !usable(v) {
		return
	}
	inner := n.innermost()
	if inner.kind == kindObject {
		f(v, at)
		return
	}
	for key, elem := range v.Elements() {
		inner.elem.eachObject(elem, at.Index(key), f)
	}
}

// describe returns the description of an attribute: its doc comment, and the sentences
// of the rules about it.
func (r rules) describe(f *field) string {
	if len(r.own) == 0 {
		return f.doc
	}
	parts := []string{f.doc}
	for _, c := range r.own {
		switch {
		case !slices.Contains(c.fields, f.name):
		case c.value != nil:
			parts = append(parts, sentence(c.value.text))
		default:
			parts = append(parts, c.among.describe(c, f.name))
		}
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if strings.Contains(f.doc, "\n") {
		return strings.Join(parts, "\n\n") // the comment may end with a list
	}
	return strings.Join(parts, " ")
}

// items returns the limits of the number of blocks; zero means no limit.
func (r rules) items(f *field) (least, most int) {
	for _, c := range r.own {
		if c.value != nil && c.value.items != nil && c.fields[0] == f.name {
			least = max(least, c.value.items[0])
			if bound := c.value.items[1]; most == 0 || bound != 0 && bound < most {
				most = bound
			}
		}
	}
	return least, most
}

// sentence returns a text as a sentence: "must be 1" as "Must be 1.".
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// quoted returns names as a list in a sentence: a, b and c.
func quoted(names []string) string { return listed(names, "and") }

// listed returns words as a list, with a word before the last one.
func listed(items []string, last string) string {
	if len(items) == 1 {
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " " + last + " " + items[len(items)-1]
}

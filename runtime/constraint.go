package runtime

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Constraint is a rule between inputs that is known from configuration alone.
// It is checked during validation, as far as it can be while values are
// unknown, and is part of the description of the attributes.
type Constraint struct {
	kind   constraintKind
	fields []string
}

type constraintKind uint8

const (
	exactlyOneOf constraintKind = iota
	atMostOneOf
	requiredTogether
)

// ExactlyOneOf demands that one of the attributes is set, and no other.
func ExactlyOneOf(fields ...string) Constraint { return Constraint{exactlyOneOf, fields} }

// AtMostOneOf demands that no more than one of the attributes is set.
func AtMostOneOf(fields ...string) Constraint { return Constraint{atMostOneOf, fields} }

// RequiredTogether demands that all of the attributes are set, or none.
func RequiredTogether(fields ...string) Constraint { return Constraint{requiredTogether, fields} }

// check returns what is wrong with config, an object that may be partly unknown.
func (c Constraint) check(config cty.Value, out diag.Diagnostics) diag.Diagnostics {
	var set, unset []string
	unknown := 0
	for _, name := range c.fields {
		switch v := config.GetAttr(name); {
		case !v.IsKnown():
			unknown++ // may turn out to be null
		case v.IsNull():
			unset = append(unset, name)
		default:
			set = append(set, name)
		}
	}
	switch {
	case c.kind == requiredTogether:
		if len(set) == 0 {
			return out
		}
		for _, name := range unset {
			out = out.Errorf(cty.GetAttrPath(name), "Missing argument", "%s must be set too when %s is set.", name, quoted(set))
		}
	case len(set) > 1:
		for _, name := range set[1:] {
			out = out.Errorf(cty.GetAttrPath(name), "Conflicting arguments",
				"Only one of %s can be set, and %s is set already. Remove one of them.", quoted(c.fields), set[0])
		}
	case c.kind == exactlyOneOf && len(set) == 0 && unknown == 0:
		out = out.Errorf(nil, "Missing argument", "One of %s must be set.", quoted(c.fields))
	}
	return out
}

// describe is the sentence about the constraint in the description of name.
func (c Constraint) describe(name string) string {
	var others []string
	found := false
	for _, f := range c.fields {
		if f == name {
			found = true
			continue
		}
		others = append(others, "`"+f+"`")
	}
	if !found {
		return ""
	}
	switch list := strings.Join(others, ", "); c.kind {
	case exactlyOneOf:
		return "Exactly one of this and " + list + " must be set."
	case atMostOneOf:
		return "Cannot be set together with " + list + "."
	default:
		return "Must be set together with " + list + "."
	}
}

func (c Constraint) validate(attrs map[string]*attribute) error {
	if len(c.fields) < 2 {
		return fmt.Errorf("a constraint needs at least two attributes")
	}
	for _, name := range c.fields {
		switch a := attrs[name]; {
		case a == nil || a.in == nil:
			return fmt.Errorf("a constraint names %q, which is not an input", name)
		case a.block():
			return fmt.Errorf("a constraint names %q, which is a block: only attributes can be unset", name)
		case a.class == classRequired:
			return fmt.Errorf("a constraint names %q, which is always required", name)
		}
	}
	return nil
}

// quoted lists names as a sentence has them: a, b and c.
func quoted(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Number has the types that the limits of [Range], [AtLeast] and [AtMost] can have.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64
}

// valueRule is a rule about one value.
type valueRule struct {
	// fits returns the rule for values of a type, or an error if it cannot apply to
	// them.
	fits func(n *node) (fitted, error)
	fitted
	// items are the limits of the length of a collection, for the schema of blocks.
	items *[2]int
}

// fitted is a rule about values of one type.
type fitted struct {
	// text is the text of the rule in the description: "must be from 1 to 10".
	text string
	test test
}

// test appends the violations by a value that is not null. An unknown value violates
// a rule only if every value that it may turn out to be does.
type test func(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics

func valueConstraint(kind, field string, fits func(n *node) (fitted, error)) Constraint {
	return Constraint{kind: kind, fields: []string{field}, value: &valueRule{fits: fits}}
}

// bind returns the rule for a field, or an error if it cannot apply to the field.
func (r *valueRule) bind(f *field) (*valueRule, error) {
	if f.block && r.items == nil {
		return nil, errors.New("the only rule for a block is Length, which limits the number of blocks")
	}
	bound := *r
	var err error
	bound.fitted, err = r.fits(f.node.innermost())
	return &bound, err
}

// validate appends the violations by v. A null value violates only rules between attributes.
func (r *valueRule) validate(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	if v.IsNull() {
		return out
	}
	return r.test(v, at, out)
}

// simple returns a rule with this text. Values for which wrong returns true violate it. The
// message is the text, without the value, which may be secret; clients show its path.
func simple(text string, wrong func(v cty.Value) bool) fitted {
	return fitted{text, func(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
		if !wrong(v) {
			return out
		}
		return out.Errorf(at.Copy(), invalidValue, "The value %s.", strings.ReplaceAll(text, "`", `"`))
	}}
}

// Range requires a number from least to most, inclusive.
func Range[N Number](field string, least, most N) Constraint {
	if least > most {
		return valueConstraint("Range", field, func(*node) (fitted, error) { return fitted{}, errors.New("the rule allows no number") })
	}
	return bounds("Range", field, fmt.Sprintf("must be from %v to %v", least, most), &least, &most)
}

// AtLeast requires a number of at least least.
func AtLeast[N Number](field string, least N) Constraint {
	return bounds("AtLeast", field, fmt.Sprintf("must be %v or more", least), &least, nil)
}

// AtMost requires a number of at most most.
func AtMost[N Number](field string, most N) Constraint {
	return bounds("AtMost", field, fmt.Sprintf("must be %v or less", most), nil, &most)
}

// bound returns a limit as a value, or NilVal if there is none.
func bound[N Number](n *N) (cty.Value, error) {
	if n == nil {
		return cty.NilVal, nil
	}
	switch v := reflect.ValueOf(*n); {
	case v.CanInt():
		return cty.NumberIntVal(v.Int()), nil
	case v.CanUint():
		return cty.NumberUIntVal(v.Uint()), nil
	default:
		return floatVal(v.Float(), v.Type().Bits())
	}
}

func bounds[N Number](kind, field, text string, from, to *N) Constraint {
	return valueConstraint(kind, field, func(n *node) (fitted, error) {
		least, errLeast := bound(from)
		most, errMost := bound(to)
		if err := errors.Join(errLeast, errMost); err != nil {
			return fitted{}, err
		}
		if n.ctyType != cty.Number {
			return fitted{}, errors.New("the attribute is not a number")
		}
		return simple(text, func(v cty.Value) bool {
			low, high := v, v
			if !v.IsKnown() {
				low, _ = v.Range().NumberLowerBound()
				high, _ = v.Range().NumberUpperBound()
			}
			return least != cty.NilVal && below(high, least) || most != cty.NilVal && below(most, low)
		}), nil
	})
}

// below reports whether a is certain to be less than b.
func below(a, b cty.Value) bool {
	return a.IsKnown() && a.AsBigFloat().Cmp(b.AsBigFloat()) < 0
}

// OneOf requires one of the values, which have the type of the field; values of
// types that parse their text are strings.
func OneOf(field string, values ...any) Constraint {
	return valueConstraint("OneOf", field, func(n *node) (fitted, error) {
		allowed, err := constants(n, values)
		switch {
		case err != nil:
			return fitted{}, err
		case len(allowed) == 0:
			return fitted{}, errors.New("the rule allows no value")
		}
		text := "must be " + listed(quotedValues(allowed, "`"), "or")
		return simple(text, func(v cty.Value) bool {
			return v.IsKnown() && !n.among(v, allowed)
		}), nil
	})
}

// among reports whether a value equals, or is equivalent to, one of values.
func (n *node) among(v cty.Value, values []cty.Value) bool {
	return slices.ContainsFunc(values, func(x cty.Value) bool { return v.RawEquals(x) || n.sameText(v, x) })
}

// constants converts Go values to values of the attribute's type. For each value, it returns
// an error if this type is not string, number or bool, or if the value is null or of another type.
func constants(n *node, values []any) ([]cty.Value, error) {
	out := make([]cty.Value, len(values))
	for i, x := range values {
		v, err := plainValue(x)
		if err != nil {
			return nil, err
		}
		want := n.innermost().ctyType
		switch {
		case !want.IsPrimitiveType():
			return nil, fmt.Errorf("the type of the attribute is %s, but the rule is only for strings, numbers and bools", want.FriendlyName())
		case !usable(v):
			return nil, errors.New("the rule needs a value, but got null")
		case !v.Type().Equals(want):
			return nil, fmt.Errorf("%v is not a value of type %s", x, want.FriendlyName())
		}
		out[i] = v
	}
	return out, nil
}

// quotedValues returns constants as texts, strings in quotes.
func quotedValues(values []cty.Value, quote string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		switch v.Type() {
		case cty.String:
			out[i] = quote + v.AsString() + quote
		case cty.Number:
			out[i] = v.AsBigFloat().Text('g', -1)
		default:
			out[i] = fmt.Sprint(v.True())
		}
	}
	return out
}

// Length limits the number of characters of a string, of elements of a collection, or
// of blocks. If most is zero, there is no upper limit.
func Length(field string, least, most int) Constraint {
	var text string
	switch {
	case most == 0:
		text = fmt.Sprintf("must have at least %d", least)
	case least == 0:
		text = fmt.Sprintf("must have at most %d", most)
	case least == most:
		text = fmt.Sprintf("must have exactly %d", least)
	default:
		text = fmt.Sprintf("must have from %d to %d", least, most)
	}
	c := valueConstraint("Length", field, func(n *node) (fitted, error) {
		switch {
		case least < 0 || most < 0 || most != 0 && most < least:
			return fitted{}, errors.New("the rule allows no length")
		case n.ctyType != cty.String && !n.ctyType.IsCollectionType():
			return fitted{}, errors.New("the attribute has no length")
		}
		unit := "element"
		if n.ctyType == cty.String {
			unit = "character"
		}
		if last := max(least, most); last != 1 {
			unit += "s"
		}
		return simple(text+" "+unit, func(v cty.Value) bool {
			low, high := lengths(v)
			return high < least || most > 0 && low > most
		}), nil
	})
	c.value.items = &[2]int{least, most}
	return c
}

// lengths returns the limits of the length of a value.
func lengths(v cty.Value) (low, high int) {
	const anyLength = int(^uint(0) >> 1)
	text := v.Type() == cty.String
	switch {
	case !v.IsKnown() && text:
		return utf8.RuneCountInString(v.Range().StringPrefix()), anyLength
	case !v.IsKnown():
		return v.Range().LengthLowerBound(), v.Range().LengthUpperBound()
	case text:
		low = utf8.RuneCountInString(v.AsString())
	case v.Type().IsSetType() && !v.IsWhollyKnown():
		// Elements that are not known yet may turn out to be equal.
		for _, elem := range v.Elements() {
			if elem.IsWhollyKnown() {
				low++
			}
		}
		return max(low, 1), v.LengthInt()
	default:
		low = v.LengthInt()
	}
	return low, low
}

// Pattern requires a string to match a regular expression in the syntax of
// package regexp. Means describes it in words: "an absolute path".
func Pattern(field, expression, means string) Constraint {
	return valueConstraint("Pattern", field, func(n *node) (fitted, error) {
		re, err := regexp.Compile(expression)
		switch {
		case err != nil:
			return fitted{}, err
		case n.ctyType != cty.String:
			return fitted{}, errors.New("the attribute is not a string")
		case means == "":
			return fitted{}, errors.New("the description of the pattern is empty")
		}
		return simple("must be "+means, func(v cty.Value) bool { return v.IsKnown() && !re.MatchString(v.AsString()) }), nil
	})
}

// Check requires check to return nil. T is the type of the field, or the type in
// its pointer or Value. Text is for the description: "must be a prime"; if it is empty,
// the description does not mention the rule. The error is shown to the user.
func Check[T any](field, text string, check func(T) error) Constraint {
	return valueConstraint("Check", field, func(n *node) (fitted, error) {
		if want := reflect.TypeFor[T](); n.goType != want {
			return fitted{}, fmt.Errorf("the Go type of the attribute is %s, but check takes %s", n.goType, want)
		}
		return fitted{text, func(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
			d := decoder{strict: true, defaults: true, configured: true}
			var x T
			d.value(n, v, reflect.ValueOf(&x).Elem())
			if d.unknowns > 0 || d.err() != nil {
				return out // unknown, or reported already
			}
			if err := check(x); err != nil {
				return append(out, diag.FromError(invalidValue, diag.WithPath(at.Copy(), err))...)
			}
			return out
		}}, nil
	})
}

// Each applies a rule about a value to every element of a collection.
func Each(c Constraint) Constraint {
	return elementwise("Each", "each element ", c, func(n *node) (*node, error) {
		if !n.ctyType.IsCollectionType() || n.elem == nil {
			return nil, errors.New("the attribute has no elements")
		}
		return n.elem, nil
	}, func(_, elem cty.Value) cty.Value { return elem })
}

// Keys applies a rule about a string to every key of a map.
func Keys(c Constraint) Constraint {
	return elementwise("Keys", "each key ", c, func(n *node) (*node, error) {
		if n.kind != kindMap {
			return nil, errors.New("the attribute has no keys")
		}
		return compileType(stringType, false, 0)
	}, func(key, _ cty.Value) cty.Value { return key })
}

// elementwise turns a rule about a value into one about parts of a collection.
func elementwise(kind, subject string, c Constraint, part func(*node) (*node, error), pick func(key, elem cty.Value) cty.Value) Constraint {
	rule := c.value
	return Constraint{kind: kind, fields: c.fields, value: &valueRule{fits: func(n *node) (fitted, error) {
		if rule == nil {
			return fitted{}, fmt.Errorf("%s is not a rule about a value, so it cannot be applied to elements", c.kind)
		}
		elem, err := part(n)
		if err != nil {
			return fitted{}, err
		}
		inner, err := rule.fits(elem.innermost())
		if err != nil {
			return fitted{}, err
		}
		text := ""
		if inner.text != "" {
			text = subject + inner.text
		}
		return fitted{text, func(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
			if !v.IsKnown() {
				return out
			}
			for key, e := range v.Elements() {
				if x := pick(key, e); !x.IsNull() {
					out = inner.test(x, at.Index(key), out)
				}
			}
			return out
		}}, nil
	}}}
}

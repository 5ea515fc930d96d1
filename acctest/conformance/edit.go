package conformance

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// edit puts another value in one place of a configuration.
type edit struct {
	path cty.Path
	to   cty.Value
}

// apply is the value with the edit made, or false where the path leads nowhere.
// Paths never lead into sets.
func (e edit) apply(v cty.Value) (cty.Value, bool) { return replaced(v, e.path, e.to) }

func replaced(v cty.Value, path cty.Path, to cty.Value) (cty.Value, bool) {
	if len(path) == 0 {
		return to, true
	}
	if v.IsNull() || !v.IsKnown() {
		return v, false
	}
	ty := v.Type()
	switch step := path[0].(type) {
	case cty.GetAttrStep:
		if !ty.IsObjectType() || !ty.HasAttribute(step.Name) {
			return v, false
		}
		inner, ok := replaced(v.GetAttr(step.Name), path[1:], to)
		if !ok {
			return v, false
		}
		values := v.AsValueMap()
		values[step.Name] = inner
		return cty.ObjectVal(values), true
	case cty.IndexStep:
		return replacedElement(v, step.Key, path[1:], to)
	}
	return v, false
}

func replacedElement(v, key cty.Value, rest cty.Path, to cty.Value) (cty.Value, bool) {
	ty := v.Type()
	if !ty.IsListType() && !ty.IsMapType() && !ty.IsTupleType() || !key.IsWhollyKnown() || v.HasIndex(key).False() {
		return v, false
	}
	inner, ok := replaced(v.Index(key), rest, to)
	if !ok {
		return v, false
	}
	if ty.IsMapType() {
		values := v.AsValueMap()
		values[key.AsString()] = inner
		if !cty.CanMapVal(values) {
			return v, false
		}
		return cty.MapVal(values), true
	}
	list := v.AsValueSlice()
	i, _ := key.AsBigFloat().Int64()
	list[i] = inner
	switch {
	case ty.IsTupleType():
		return cty.TupleVal(list), true
	case !cty.CanListVal(list):
		return v, false
	default:
		return cty.ListVal(list), true
	}
}

// valueAt is the value that path leads to, or cty.NilVal.
func valueAt(v cty.Value, path cty.Path) cty.Value {
	got, err := path.Apply(v)
	if err != nil {
		return cty.NilVal
	}
	return got
}

// nameOf is a path as Type names attributes: without keys.
func nameOf(path cty.Path) string {
	var names []string
	for _, step := range path {
		if attr, ok := step.(cty.GetAttrStep); ok {
			names = append(names, attr.Name)
		}
	}
	return strings.Join(names, ".")
}

// named reports whether the path is that of one of the named attributes, or
// inside of one.
func named(path cty.Path, names []string) bool {
	if len(names) == 0 {
		return false
	}
	at := nameOf(path)
	for _, name := range names {
		if at == name || strings.HasPrefix(at, name+".") {
			return true
		}
	}
	return false
}

// without is the value with the named attributes made null.
func (s *subject) without(v cty.Value, names []string) cty.Value {
	if len(names) == 0 || v.IsNull() {
		return v
	}
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) > 0 && named(path, names) {
			if _, attr := path[len(path)-1].(cty.GetAttrStep); attr {
				return cty.NullVal(s.typeAt(path, v.Type())), nil
			}
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

// looked is the value as it is compared with another look at the same object:
// without the named attributes, and of a type that asks clients to look away from
// inconsistencies also without what is empty, which such types take for null.
func (s *subject) looked(v cty.Value, names []string) cty.Value {
	v = s.without(v, names)
	if !s.legacy || v.IsNull() {
		return v
	}
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) > 0 && isEmpty(v) {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

func isEmpty(v cty.Value) bool {
	switch ty := v.Type(); {
	case v.IsNull() || !v.IsKnown():
		return false
	case ty.IsCollectionType():
		return v.LengthInt() == 0
	case ty == cty.String:
		return v.AsString() == ""
	case ty == cty.Number:
		return v.RawEquals(cty.Zero)
	case ty == cty.Bool:
		return v.False()
	default:
		return false
	}
}

// typeAt is the type of an attribute in its schema, which is not that of a value
// where any type will do.
func (s *subject) typeAt(path cty.Path, otherwise cty.Type) cty.Type {
	if attr := s.body.AttributeByPath(path); attr != nil && attr.Type == cty.DynamicPseudoType {
		return attr.Type
	}
	return otherwise
}

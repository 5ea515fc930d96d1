package conformance

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// edit replaces the value at a path of a configuration.
type edit struct {
	path cty.Path
	to   cty.Value
}

// apply returns v with the edit, or false if the path does not exist or the new value does not
// fit there. Paths never lead into sets.
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

// valueAt returns the value at path, or cty.NilVal.
func valueAt(v cty.Value, path cty.Path) cty.Value {
	got, err := path.Apply(v)
	if err != nil {
		return cty.NilVal
	}
	return got
}

// nameOf returns a path in the form of Type: without keys.
func nameOf(path cty.Path) string {
	var names []string
	for _, step := range path {
		if attr, ok := step.(cty.GetAttrStep); ok {
			names = append(names, attr.Name)
		}
	}
	return strings.Join(names, ".")
}

// named reports whether the path is one of the named attributes or blocks, or inside of one.
func named(path cty.Path, names []string) bool {
	at := nameOf(path)
	return slices.ContainsFunc(names, func(name string) bool { return at == name || strings.HasPrefix(at, name+".") })
}

// without returns the value with the named attributes and blocks set to null.
func (s *subject) without(v cty.Value, names []string) cty.Value {
	if len(names) == 0 || v.IsNull() {
		return v
	}
	out, _ := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) { // the callback returns no error
		if len(path) > 0 && named(path, names) {
			if _, attr := path[len(path)-1].(cty.GetAttrStep); attr {
				return cty.NullVal(s.typeAt(path, v.Type())), nil
			}
		}
		return v, nil
	})
	return out
}

// comparable returns the value for comparison with another read of the same object:
// without the named attributes and blocks, and, if the type uses the legacy type system, with
// empty collections and zero values as null.
func (s *subject) comparable(v cty.Value, names []string) cty.Value {
	v = s.without(v, names)
	if !s.legacy || v.IsNull() {
		return v
	}
	out, _ := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) { // the callback returns no error
		if len(path) > 0 && isEmpty(v) {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
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

// typeAt returns cty.DynamicPseudoType if the schema declares the innermost attribute on path as
// dynamic, and otherwise the given type.
func (s *subject) typeAt(path cty.Path, otherwise cty.Type) cty.Type {
	if attr := s.body.EnclosingAttribute(path); attr != nil && attr.Type == cty.DynamicPseudoType {
		return attr.Type
	}
	return otherwise
}

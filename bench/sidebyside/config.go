package sidebyside

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// attrs is a configuration in Go values: strings, ints, floats, attrs and lists of attrs.
// The value unknown stands for an unknown value.
type attrs map[string]any

type unknownValue struct{}

var unknown unknownValue

// exampleSite returns a configuration that sets all inputs of a site except protocol, redirect
// and timeouts.
func exampleSite() attrs {
	return attrs{
		"name": "shop", "port": 8443, "root": "/srv/shop", "token": "tok_0123abcd", "settings": `{"a": 1, "b": [true]}`,
		"routes": []attrs{{"path": "/api", "backend": "api:80", "weight": 3}, {"path": "/", "backend": "web:80", "weight": 1}},
	}
}

// with returns the configuration with some attributes changed; nil unsets an attribute.
func (a attrs) with(changes attrs) attrs {
	changed := maps.Clone(a)
	maps.Copy(changed, changes)
	return changed
}

// config encodes a configuration for the contender's schema: unset attributes are null, and
// unset repeated blocks are empty.
func (w *world) config(a attrs) cty.Value {
	empty := w.schema.Body.EmptyValue()
	all := empty.AsValueMap()
	for name, ty := range empty.Type().AttributeTypes() {
		if v, ok := a[name]; ok && v != nil {
			all[name] = encode(ty, v)
		}
	}
	return cty.ObjectVal(all)
}

func encode(ty cty.Type, v any) cty.Value {
	switch v := v.(type) {
	case unknownValue:
		return cty.UnknownVal(ty)
	case string:
		return cty.StringVal(v)
	case int:
		return cty.NumberIntVal(int64(v))
	case float64:
		return cty.NumberFloatVal(v)
	case []attrs:
		elems := make([]cty.Value, len(v))
		for i, elem := range v {
			elems[i] = encode(ty.ElementType(), elem)
		}
		return cty.ListVal(elems)
	case attrs:
		all := make(map[string]cty.Value)
		for name, t := range ty.AttributeTypes() {
			all[name] = cty.NullVal(t)
			if inner, ok := v[name]; ok {
				all[name] = encode(t, inner)
			}
		}
		return cty.ObjectVal(all)
	}
	panic(fmt.Sprintf("values of type %T are not supported", v)) // a mistake in a scenario
}

// expectState returns an error unless the state has these values.
func (w *world) expectState(want attrs) error {
	return expectValues(w.state, want)
}

func expectValues(object cty.Value, want attrs) error {
	if object.IsNull() {
		return errors.New("there is no object")
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got := object.GetAttr(name)
		if !objchange.EqualExact(got, encode(got.Type(), want[name])) {
			errs = append(errs, fmt.Errorf("%s is %s instead of %s", name, show(got), show(encode(got.Type(), want[name]))))
		}
	}
	return errors.Join(errs...)
}

func show(v cty.Value) string {
	switch {
	case !v.IsKnown():
		return "unknown"
	case v.IsNull():
		return "null"
	case v.Type() == cty.String:
		return v.AsString()
	case v.Type() == cty.Number:
		return v.AsBigFloat().Text('f', -1)
	case v.Type().IsListType():
		var all []string
		for _, elem := range v.Elements() {
			all = append(all, show(elem))
		}
		return fmt.Sprint(all)
	case v.Type().IsObjectType():
		var all []string
		for name, elem := range v.Elements() {
			all = append(all, name.AsString()+"="+show(elem))
		}
		return fmt.Sprint(sorted(all))
	default:
		return v.Type().FriendlyName()
	}
}

// rejectedAt returns an error unless there is an error diagnostic at one of the paths.
func rejectedAt(diags diag.Diagnostics, paths ...string) error {
	if !diags.HasErrors() {
		return errors.New("the configuration is accepted")
	}
	var at []string
	for _, d := range diags {
		if d.Severity == diag.Error {
			at = append(at, diag.FormatPath(d.Path))
		}
	}
	if slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(at, p) }) {
		return nil
	}
	return fmt.Errorf("rejected at %q, want %q", sorted(at), paths)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

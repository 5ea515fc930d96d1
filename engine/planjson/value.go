package planjson

import (
	"encoding/json"
	"strconv"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// plain converts a value to nil, bool, string, json.Number, []any or map[string]any.
// Unknown values are omitted in objects and maps, and are nil in lists, sets and tuples; ok
// is false if v itself is unknown.
func plain(v cty.Value) (out any, ok bool) {
	v, _ = v.Unmark()
	switch ty := v.Type(); {
	case !v.IsKnown():
		return nil, false
	case v.IsNull():
		return nil, true
	case ty == cty.String:
		return v.AsString(), true
	case ty == cty.Bool:
		return v.True(), true
	case ty == cty.Number:
		return number(v), true
	case ty.IsObjectType():
		fields := make(map[string]any, v.LengthInt())
		for name := range ty.AttributeTypes() {
			if field, ok := plain(v.GetAttr(name)); ok {
				fields[name] = field
			}
		}
		return fields, true
	case ty.IsMapType():
		elements := make(map[string]any, v.LengthInt())
		for key, element := range v.Elements() {
			if element, ok := plain(element); ok {
				elements[key.AsString()] = element
			}
		}
		return elements, true
	case ty.IsListType(), ty.IsSetType(), ty.IsTupleType():
		list := make([]any, 0, v.LengthInt())
		for _, element := range v.Elements() {
			element, _ := plain(element)
			list = append(list, element)
		}
		return list, true
	default:
		return nil, true
	}
}

// number converts a number as cty encodes it in JSON.
func number(v cty.Value) json.Number {
	f := v.AsBigFloat()
	if i, accuracy := f.Int64(); accuracy == 0 {
		return json.Number(strconv.FormatInt(i, 10))
	}
	return json.Number(f.Text('f', -1))
}

// flags returns the structure of v with true for the parts that match, whose own parts
// are not visited, and false for the others. False is omitted in objects and maps.
func flags(v cty.Value, is func(cty.Value) bool) any {
	if is(v) {
		return true
	}
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case v.IsNull() || ty.IsPrimitiveType():
		return false
	case !v.IsKnown(): // the parts are unknown, so they have no flags
		return emptyFlags(ty)
	case ty.IsObjectType():
		out := map[string]any{}
		for name, ty := range ty.AttributeTypes() {
			field := v.GetAttr(name)
			if ty.IsPrimitiveType() && !is(field) {
				continue
			}
			if flagged := flags(field, is); flagged != false {
				out[name] = flagged
			}
		}
		return out
	case ty.IsMapType():
		out := map[string]any{}
		for key, element := range v.Elements() {
			if flagged := flags(element, is); flagged != false {
				out[key.AsString()] = flagged
			}
		}
		return out
	case ty.IsListType(), ty.IsSetType(), ty.IsTupleType():
		list := make([]any, 0, v.LengthInt())
		for _, element := range v.Elements() {
			list = append(list, flags(element, is))
		}
		return list
	default:
		return false
	}
}

// emptyFlags returns the flags of an unknown value of the type: none of its parts has a flag.
func emptyFlags(ty cty.Type) any {
	switch {
	case ty.IsObjectType(), ty.IsMapType():
		return map[string]any{}
	case ty.IsListType(), ty.IsSetType(), ty.IsTupleType():
		return []any{}
	default:
		return false
	}
}

func isUnknown(v cty.Value) bool { return !v.IsKnown() }

func isSensitive(v cty.Value) bool { return v.HasMark(lang.Sensitive) }

// path converts a path to names and keys. The result ends before a key that is neither a string
// nor a number, such as that of an object in a set.
func path(steps cty.Path) []any {
	out := make([]any, 0, len(steps))
	for _, step := range steps {
		switch step := step.(type) {
		case cty.GetAttrStep:
			out = append(out, step.Name)
		case cty.IndexStep:
			switch step.Key.Type() {
			case cty.String:
				out = append(out, step.Key.AsString())
			case cty.Number:
				out = append(out, number(step.Key))
			default:
				return out
			}
		}
	}
	return out
}

// floats converts the numbers of a module to float64, as terraform-json decodes the
// state in a plan.
func floats(m *tfjson.StateModule) {
	for _, r := range m.Resources {
		r.Index = float(r.Index)
		for name, v := range r.AttributeValues {
			r.AttributeValues[name] = float(v)
		}
		for name, v := range r.IdentityValues {
			r.IdentityValues[name] = float(v)
		}
	}
	for _, child := range m.ChildModules {
		floats(child)
	}
}

// float returns v with its numbers as float64. Lists and maps are changed in place.
func float(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v
		}
		return f
	case []any:
		for i := range v {
			v[i] = float(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = float(v[key])
		}
	}
	return v
}

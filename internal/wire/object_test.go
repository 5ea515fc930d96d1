package wire_test

import (
	"maps"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

func TestObject(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]cty.Value{
		"static":  {"a": cty.StringVal("x"), "b": cty.NullVal(cty.Number), "c": cty.UnknownVal(cty.List(cty.Bool))},
		"dynamic": {"a": cty.StringVal("x"), "b": cty.EmptyTupleVal},
	} {
		types := map[string]cty.Type{"a": cty.String, "b": cty.Number, "c": cty.List(cty.Bool)}
		if name == "dynamic" {
			types = map[string]cty.Type{"a": cty.String, "b": cty.DynamicPseudoType}
		}
		codec := wire.NewCodec(cty.Object(types))
		object := codec.NewObject()
		for name, v := range values {
			object.Set(name, v)
		}
		got, want := object.Value(), cty.ObjectVal(values)
		if !got.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", name, got, want)
		}
		for i, attribute := range []string{"a", "b", "c"}[:len(values)] {
			if v := codec.Attribute(want, i); !v.RawEquals(values[attribute]) {
				t.Errorf("%s: attribute %s is %#v, want %#v", name, attribute, v, values[attribute])
			}
		}
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	m := map[string]string{"a": "1", "b": ""}
	v := cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1"), "b": cty.StringVal("")})
	if got, ok := wire.Strings(v); !ok || !maps.Equal(got, m) {
		t.Errorf("Strings returned %v and ok %v, want %v and true", got, ok, m)
	}
	if same, ok := wire.SameStrings(v, m); !same || !ok {
		t.Errorf("equal maps: got same %v, ok %v, want true and true", same, ok)
	}
	for name, other := range map[string]map[string]string{
		"fewer": {"a": "1"}, "other value": {"a": "1", "b": "2"}, "other key": {"a": "1", "c": ""}, "none": nil,
	} {
		if same, ok := wire.SameStrings(v, other); same || !ok {
			t.Errorf("%s: got same %v, ok %v, want false and true", name, same, ok)
		}
	}
	// Strings and SameStrings reject values other than maps of known strings.
	for name, odd := range map[string]cty.Value{
		"null inside":    cty.MapVal(map[string]cty.Value{"a": cty.NullVal(cty.String)}),
		"unknown inside": cty.MapVal(map[string]cty.Value{"a": cty.UnknownVal(cty.String)}),
		"numbers":        cty.MapVal(map[string]cty.Value{"a": cty.NumberIntVal(1)}),
		"an object":      cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("1")}),
	} {
		if _, ok := wire.Strings(odd); ok {
			t.Errorf("%s: Strings returned ok true, want false", name)
		}
		if _, ok := wire.SameStrings(odd, map[string]string{"a": "1"}); ok {
			t.Errorf("%s: SameStrings returned ok true, want false", name)
		}
	}
}

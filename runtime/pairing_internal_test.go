package runtime

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestBecomes(t *testing.T) {
	t.Parallel()
	object := func(a, b cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"a": a, "b": b}) }
	one, two, unknown := cty.NumberIntVal(1), cty.NumberIntVal(2), cty.UnknownVal(cty.Number)
	list := func(elems ...cty.Value) cty.Value { return cty.ListVal(elems) }
	in := func(key string, elem cty.Value) cty.Value { return cty.MapVal(map[string]cty.Value{key: elem}) }
	for name, tt := range map[string]struct {
		planned, actual cty.Value
		want            bool
	}{
		"unknown":           {unknown, one, true},
		"other value":       {one, two, false},
		"part":              {object(unknown, one), object(two, one), true},
		"other attribute":   {object(unknown, one), object(two, two), false},
		"element":           {list(object(unknown, one)), list(object(two, one)), true},
		"other element":     {list(object(unknown, one)), list(object(two, two)), false},
		"more elements":     {list(object(unknown, one)), list(object(two, one), object(two, one)), false},
		"map element":       {in("k", object(unknown, one)), in("k", object(two, one)), true},
		"other map element": {in("k", object(unknown, one)), in("k", object(two, two)), false},
		"other key":         {in("k", object(unknown, one)), in("l", object(two, one)), false},
		"null":              {object(unknown, one), cty.NullVal(cty.Object(map[string]cty.Type{"a": cty.Number, "b": cty.Number})), false},
	} {
		if got := becomes(tt.planned, tt.actual); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

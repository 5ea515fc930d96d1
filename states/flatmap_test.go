package states_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/states"
)

func TestDecodeFlatmap(t *testing.T) {
	t.Parallel()
	nested := cty.Object(map[string]cty.Type{"a": cty.Number, "b": cty.List(cty.String)})
	const unknown = "74D93920-ED26-11E3-AC10-0800200C9A66"
	for name, tt := range map[string]struct {
		ty   cty.Type
		flat map[string]string
		want cty.Value
	}{
		"string":           {cty.String, map[string]string{"x": "s"}, cty.StringVal("s")},
		"number":           {cty.Number, map[string]string{"x": "1.5"}, cty.NumberFloatVal(1.5)},
		"bool":             {cty.Bool, map[string]string{"x": "true"}, cty.True},
		"missing":          {cty.Bool, map[string]string{}, cty.NullVal(cty.Bool)},
		"unknown":          {cty.Bool, map[string]string{"x": unknown}, cty.UnknownVal(cty.Bool)},
		"list":             {cty.List(cty.String), map[string]string{"x.#": "2", "x.1": "b", "x.0": "a"}, cty.ListVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")})},
		"empty list":       {cty.List(cty.String), map[string]string{"x.#": "0"}, cty.ListValEmpty(cty.String)},
		"no list":          {cty.List(cty.String), map[string]string{}, cty.NullVal(cty.List(cty.String))},
		"unknown list":     {cty.List(cty.String), map[string]string{"x.#": unknown}, cty.UnknownVal(cty.List(cty.String))},
		"set":              {cty.Set(cty.String), map[string]string{"x.#": "2", "x.77": "b", "x.12": "a"}, cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")})},
		"empty set":        {cty.Set(cty.String), map[string]string{"x.#": "0"}, cty.SetValEmpty(cty.String)},
		"map":              {cty.Map(cty.Number), map[string]string{"x.%": "2", "x.a.b": "1", "x.c": "2", "xx.%": "7"}, cty.MapVal(map[string]cty.Value{"a.b": cty.NumberIntVal(1), "c": cty.NumberIntVal(2)})},
		"empty map":        {cty.Map(cty.String), map[string]string{"x.%": "0"}, cty.MapValEmpty(cty.String)},
		"blocks":           {cty.List(nested), map[string]string{"x.#": "1", "x.0.a": "1", "x.0.b.#": "1", "x.0.b.0": "z"}, cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "b": cty.ListVal([]cty.Value{cty.StringVal("z")})})})},
		"set of blocks":    {cty.Set(nested), map[string]string{"x.#": "1", "x.9.a": "1", "x.9.b.#": "0"}, cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "b": cty.ListValEmpty(cty.String)})})},
		"not a number":     {cty.Number, map[string]string{"x": "s"}, cty.NilVal},
		"no length":        {cty.List(cty.String), map[string]string{"x.#": "many"}, cty.NilVal},
		"too long":         {cty.List(cty.String), map[string]string{"x.#": "1000000000"}, cty.NilVal},
		"negative":         {cty.List(cty.String), map[string]string{"x.#": "-1"}, cty.NilVal},
		"elements missing": {cty.Set(cty.String), map[string]string{"x.#": "2", "x.7": "a"}, cty.NilVal},
		"map of lists":     {cty.Map(cty.List(cty.String)), map[string]string{"x.%": "1", "x.a.#": "0"}, cty.NilVal},
		"dynamic":          {cty.DynamicPseudoType, map[string]string{"x": "s"}, cty.NilVal},
	} {
		src := &states.ResourceInstanceObjectSrc{AttrsFlat: tt.flat}
		got, err := src.Decode(cty.Object(map[string]cty.Type{"x": tt.ty}), cty.NilType)
		if tt.want == cty.NilVal {
			var pathErr cty.PathError
			if !errors.As(err, &pathErr) || len(pathErr.Path) == 0 || !pathErr.Path[:1].Equals(cty.GetAttrPath("x")) {
				t.Errorf("%s: got error %v, want an error at x", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(tt.want, got.Value.GetAttr("x"), ctyEqual); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

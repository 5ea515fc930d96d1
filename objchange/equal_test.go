package objchange_test

import (
	"math/big"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

func TestEqual(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	refined := unknown.RefineNotNull()
	in := func(v cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"a": cty.TupleVal([]cty.Value{v})})
	}
	tests := map[string]struct {
		a, b        cty.Value
		want, exact bool
	}{
		"strings":                    {cty.StringVal("a"), cty.StringVal("a"), true, true},
		"other strings":              {cty.StringVal("a"), cty.StringVal("b"), false, false},
		"composed and decomposed":    {cty.StringVal("\u00e9"), cty.StringVal("e\u0301"), true, true},
		"numbers in two forms":       {cty.NumberIntVal(2), cty.NumberFloatVal(2), true, true},
		"decimal and float":          {cty.MustParseNumberVal("0.1"), cty.NumberFloatVal(0.1), true, true},
		"zeros":                      {cty.Zero, cty.NumberVal(new(big.Float).Neg(new(big.Float))), true, true},
		"other numbers":              {cty.NumberIntVal(1), cty.NumberFloatVal(1.5), false, false},
		"number and string":          {cty.NumberIntVal(1), cty.StringVal("1"), false, false},
		"nulls":                      {cty.NullVal(cty.String), cty.NullVal(cty.String), true, true},
		"nulls of two types":         {cty.NullVal(cty.String), cty.NullVal(cty.Bool), false, false},
		"null and nothing":           {cty.NullVal(cty.String), cty.NilVal, false, false},
		"null and empty":             {cty.NullVal(cty.List(cty.String)), cty.ListValEmpty(cty.String), false, false},
		"empty lists of two types":   {cty.ListValEmpty(cty.Bool), cty.ListValEmpty(cty.String), false, false},
		"list and tuple":             {cty.ListVal([]cty.Value{cty.True}), cty.TupleVal([]cty.Value{cty.True}), false, false},
		"unknown and known":          {unknown, cty.StringVal("a"), false, false},
		"unknown and null":           {unknown, cty.NullVal(cty.String), false, false},
		"unknown of two types":       {unknown, cty.UnknownVal(cty.Bool), false, false},
		"unknown of two ranges":      {unknown, refined, true, false},
		"unknown of one range":       {refined, unknown.RefineNotNull(), true, true},
		"unknown of two ranges deep": {in(unknown), in(refined), true, false},
		"unknown in maps": {
			cty.MapVal(map[string]cty.Value{"k": unknown}), cty.MapVal(map[string]cty.Value{"k": refined}), true, false,
		},
		"unknown in sets": {
			cty.SetVal([]cty.Value{unknown, cty.StringVal("a")}), cty.SetVal([]cty.Value{cty.StringVal("a"), refined}), true, false,
		},
		"maps with other keys": {
			cty.MapVal(map[string]cty.Value{"k": cty.True}), cty.MapVal(map[string]cty.Value{"l": cty.True}), false, false,
		},
		"objects with other attributes": {
			cty.ObjectVal(map[string]cty.Value{"k": cty.True}), cty.ObjectVal(map[string]cty.Value{"l": cty.True}), false, false,
		},
		"marks": {in(cty.True.Mark("m")), in(cty.True).Mark("n"), true, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, pair := range [][2]cty.Value{{tt.a, tt.b}, {tt.b, tt.a}} {
				if got := objchange.Equal(pair[0], pair[1]); got != tt.want {
					t.Errorf("Equal(%#v, %#v) = %t, want %t", pair[0], pair[1], got, tt.want)
				}
				if got := objchange.EqualExact(pair[0], pair[1]); got != tt.exact {
					t.Errorf("EqualExact(%#v, %#v) = %t, want %t", pair[0], pair[1], got, tt.exact)
				}
			}
		})
	}
}

// TestEqualOfLargeCollections checks that a large collection is equal to itself, and not
// equal to a shorter collection.
func TestEqualOfLargeCollections(t *testing.T) {
	t.Parallel()
	var list []cty.Value
	mapping := map[string]cty.Value{}
	for i := range 100 {
		v := cty.StringVal(string(rune('a' + i)))
		list = append(list, v)
		mapping[v.AsString()] = v
	}
	for name, pair := range map[string][2]cty.Value{
		"list": {cty.ListVal(list), cty.ListVal(list[:99])},
		"set":  {cty.SetVal(list), cty.SetVal(list[:99])},
		"map":  {cty.MapVal(mapping), cty.MapVal(map[string]cty.Value{"a": cty.StringVal("a")})},
	} {
		if !objchange.Equal(pair[0], pair[0]) {
			t.Errorf("%s: Equal returned false for a collection and itself", name)
		}
		if objchange.Equal(pair[0], pair[1]) || objchange.Equal(pair[1], pair[0]) {
			t.Errorf("%s: Equal returned true for a collection and a shorter collection", name)
		}
	}
}

// TestNoAllocationsForValidValues checks that AssertPlanValid and AssertObjectCompatible,
// which run for each plan and each apply, cause no allocations for valid values.
func TestNoAllocationsForValidValues(t *testing.T) {
	config := benchObject(t, 16, 2, false)
	prior := benchObject(t, 16, 2, true)
	planned := benchObject(t, 16, 2, true)
	for name, judge := range map[string]func() []error{
		"AssertPlanValid":        func() []error { return objchange.AssertPlanValid(benchSchema, prior, config, planned) },
		"AssertObjectCompatible": func() []error { return objchange.AssertObjectCompatible(benchSchema, planned, prior) },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if errs := judge(); errs != nil {
				t.Fatal(errs)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

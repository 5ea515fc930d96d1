package runtime

import (
	"slices"
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

// TestPairs checks that a pair is changed if the change allows one more pair.
func TestPairs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fit  [][]int64 // for each of likes, the elements that fit it
		want []int64   // for each of likes, its partner; 0 if there is none
	}{
		"the first free one":     {[][]int64{{1, 2}, {1, 2}, {1, 2}}, []int64{1, 2, 0}},
		"one pair is changed":    {[][]int64{{1, 2, 3}, {1}}, []int64{2, 1}},
		"two pairs are changed":  {[][]int64{{1, 2}, {2, 3}, {1}}, []int64{2, 3, 1}},
		"no pair can be changed": {[][]int64{{1}, {2, 1}, {1, 2}, {3}}, []int64{1, 2, 0, 3}},
		"one that fits no one":   {[][]int64{{}, {3}}, []int64{0, 3}},
	} {
		numbers := func(in ...int64) (out []cty.Value) {
			for _, n := range in {
				out = append(out, cty.NumberIntVal(n))
			}
			return out
		}
		var likes []cty.Value
		for i := range tt.fit {
			likes = append(likes, cty.NumberIntVal(int64(i)))
		}
		p := newPool(nil, numbers(1, 2, 3))
		got := p.pairs(likes, func(like, elem cty.Value) bool {
			i, _ := like.AsBigFloat().Int64()
			return slices.ContainsFunc(numbers(tt.fit[i]...), elem.RawEquals)
		})
		left := len(p.elems)
		for i, v := range tt.want {
			switch {
			case v == 0 && got[i] != cty.NilVal, v != 0 && (got[i] == cty.NilVal || !got[i].RawEquals(cty.NumberIntVal(v))):
				t.Errorf("%s: element %d is paired with %#v, want %d", name, i, got[i], v)
			case v != 0:
				left--
			}
		}
		if p.left != left || len(p.rest()) != left {
			t.Errorf("%s: left is %d and rest returns %d elements, want %d", name, p.left, len(p.rest()), left)
		}
	}
}

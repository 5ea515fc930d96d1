package objchange_test

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// setSchema has a set of nested objects with a computed attribute.
var setSchema = &configschema.Block{Attributes: map[string]*configschema.Attribute{
	"rules": {Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingSet, Attributes: map[string]*configschema.Attribute{
		"port":   {Type: cty.Number, Required: true},
		"proto":  {Type: cty.String, Required: true},
		"tags":   {Type: cty.Map(cty.String), Optional: true},
		"serial": {Type: cty.Number, Computed: true},
	}}},
}}

// setOf returns an object with a set of n elements. The function serial returns the computed
// attribute of an element.
func setOf(n int, serial func(i int) cty.Value) cty.Value {
	elems := make([]cty.Value, n)
	for i := range elems {
		elems[i] = cty.ObjectVal(map[string]cty.Value{
			"port": cty.NumberIntVal(int64(i)), "proto": cty.StringVal("tcp"), "serial": serial(i),
			"tags": cty.MapVal(map[string]cty.Value{"name": cty.StringVal(fmt.Sprint("n", i))}),
		})
	}
	return cty.ObjectVal(map[string]cty.Value{"rules": cty.SetVal(elems)})
}

func BenchmarkSets(b *testing.B) {
	null := func(int) cty.Value { return cty.NullVal(cty.Number) }
	unknown := func(int) cty.Value { return cty.UnknownVal(cty.Number) }
	known := func(i int) cty.Value { return cty.NumberIntVal(int64(i)) }
	for _, n := range []int{20, 200} {
		config, planned, actual := setOf(n, null), setOf(n, unknown), setOf(n, known)
		again := setOf(n, known)
		b.Run(fmt.Sprint("compatible/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if errs := objchange.AssertObjectCompatible(setSchema, planned, actual); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
		b.Run(fmt.Sprint("plan/", n), func(b *testing.B) {
			b.ReportAllocs()
			prior := cty.NullVal(setSchema.ImpliedType())
			for b.Loop() {
				if errs := objchange.AssertPlanValid(setSchema, prior, config, planned); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
		b.Run(fmt.Sprint("equal/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !objchange.EqualExact(actual, again) {
					b.Fatal("not equal")
				}
			}
		})
	}
}

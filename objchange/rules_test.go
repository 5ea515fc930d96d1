package objchange_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// The vectors of vectors_test.go cover the rules. These tables cover the order and the paths of violations,
// and inputs that the vectors do not have, such as those on which Terraform panics.

type (
	attrs  = map[string]*configschema.Attribute
	object = map[string]cty.Value
)

func blockSchema(mode configschema.NestingMode, a attrs) *configschema.Block {
	return &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{
		"b": {Nesting: mode, Block: configschema.Block{Attributes: a}},
	}}
}

func withBlock(v cty.Value) cty.Value { return cty.ObjectVal(object{"b": v}) }

var (
	plainAttrs   = attrs{"a": {Type: cty.String, Optional: true}}
	dynamicAttrs = attrs{"a": {Type: cty.DynamicPseudoType, Optional: true, Computed: true}}

	elementType  = cty.Object(map[string]cty.Type{"a": cty.String})
	oneElement   = cty.ObjectVal(object{"a": cty.StringVal(secret)})
	blockMap     = cty.MapVal(object{"k": oneElement})
	dynamicNull  = cty.NullVal(cty.DynamicPseudoType)
	blockTuple   = cty.TupleVal([]cty.Value{oneElement})
	blockObject  = cty.ObjectVal(object{"k": oneElement})
	unknownPlain = cty.ObjectVal(object{"a": cty.UnknownVal(cty.DynamicPseudoType)})
	unsetElement = cty.ObjectVal(object{"a": dynamicNull})
)

func TestPlanWhereTerraformPanics(t *testing.T) {
	t.Parallel()
	plainMap := blockSchema(configschema.NestingMap, plainAttrs)
	dynamicMap := blockSchema(configschema.NestingMap, dynamicAttrs)
	dynamicList := blockSchema(configschema.NestingList, dynamicAttrs)
	tests := map[string]struct {
		schema          *configschema.Block
		config, planned cty.Value
		want            []string
	}{
		"null map of blocks configured":          {plainMap, withBlock(cty.NullVal(cty.Map(elementType))), withBlock(blockMap), []string{".b"}},
		"null map configured, empty map planned": {plainMap, withBlock(cty.NullVal(cty.Map(elementType))), withBlock(cty.MapValEmpty(elementType)), nil},
		"null dynamic list of blocks configured": {dynamicList, withBlock(dynamicNull), withBlock(blockTuple), []string{".b"}},
		"null dynamic map of blocks configured":  {dynamicMap, withBlock(dynamicNull), withBlock(blockObject), []string{".b"}},
		"a dynamic list that is a string":        {dynamicList, withBlock(blockTuple), withBlock(cty.StringVal(secret)), []string{".b"}},
		"a dynamic map that is a tuple":          {dynamicMap, withBlock(blockObject), withBlock(blockTuple), []string{".b"}},
		"a configured list that is an object":    {dynamicList, withBlock(blockObject), withBlock(blockTuple), []string{".b"}},
		"a root that is a string":                {plainMap, withBlock(blockMap), cty.StringVal(secret), []string{""}},
		"a root without the blocks":              {plainMap, withBlock(blockMap), cty.EmptyObjectVal, []string{".b"}},
		"elements that are strings": {
			dynamicList, withBlock(blockTuple), withBlock(cty.TupleVal([]cty.Value{cty.StringVal(secret)})), []string{".b[0]"},
		},
		"no values": {plainMap, cty.NilVal, cty.NilVal, nil},
		"no schema": {nil, cty.EmptyObjectVal, cty.EmptyObjectVal, nil},
		"no nesting mode": {
			blockSchema(configschema.NestingInvalid, plainAttrs), withBlock(blockObject), withBlock(blockTuple), []string{".b"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := objchange.AssertPlanValid(tt.schema, cty.NilVal, tt.config, tt.planned)
			if diff := cmp.Diff(tt.want, errorPaths(t, errs)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

// TestPlanOfNullBlocks checks that only AssertPlanValidWithNullBlocks accepts null blocks, and
// only if they are null in the configuration.
func TestPlanOfNullBlocks(t *testing.T) {
	t.Parallel()
	for mode, empty := range map[configschema.NestingMode]cty.Value{
		configschema.NestingList: cty.ListValEmpty(elementType),
		configschema.NestingSet:  cty.SetValEmpty(elementType),
		configschema.NestingMap:  cty.MapValEmpty(elementType),
	} {
		schema, null := blockSchema(mode, plainAttrs), withBlock(cty.NullVal(empty.Type()))
		clean(t, "allowed null blocks", objchange.AssertPlanValidWithNullBlocks(schema, cty.NilVal, null, null))
		for name, errs := range map[string][]error{
			"configured null blocks": objchange.AssertPlanValid(schema, cty.NilVal, null, null),
			"null blocks":            objchange.AssertPlanValidWithNullBlocks(schema, cty.NilVal, withBlock(empty), null),
		} {
			if diff := cmp.Diff([]string{".b"}, errorPaths(t, errs)); diff != "" {
				t.Errorf("mode %d, %s: violations (-want +got):\n%s", mode, name, diff)
			}
		}
	}
}

// TestPlanOfUnknownBlocks checks for every nesting mode that a plan must keep an
// unknown block of the configuration, which comes from a dynamic block with an
// unknown for_each, and must not have an unknown block for a known one.
func TestPlanOfUnknownBlocks(t *testing.T) {
	t.Parallel()
	known := map[configschema.NestingMode]cty.Value{
		configschema.NestingSingle: oneElement,
		configschema.NestingGroup:  oneElement,
		configschema.NestingList:   cty.ListVal([]cty.Value{oneElement}),
		configschema.NestingSet:    cty.SetVal([]cty.Value{oneElement}),
		configschema.NestingMap:    blockMap,
	}
	for mode, planned := range known {
		schema := blockSchema(mode, plainAttrs)
		unknown := withBlock(cty.UnknownVal(planned.Type()))
		clean(t, "an unknown block may be planned", objchange.AssertPlanValid(schema, cty.NilVal, unknown, unknown))
		for name, errs := range map[string][]error{
			"known for unknown":          objchange.AssertPlanValid(schema, withBlock(planned), unknown, withBlock(planned)),
			"unknown for known":          objchange.AssertPlanValid(schema, withBlock(planned), withBlock(planned), unknown),
			"unknown with another range": objchange.AssertPlanValid(schema, cty.NilVal, unknown, withBlock(cty.UnknownVal(planned.Type()).RefineNotNull())),
		} {
			if diff := cmp.Diff([]string{".b"}, errorPaths(t, errs)); diff != "" {
				t.Errorf("mode %d, %s: violations (-want +got):\n%s", mode, name, diff)
			}
		}
	}
}

func TestResultWhereTerraformPanics(t *testing.T) {
	t.Parallel()
	plainMap := blockSchema(configschema.NestingMap, plainAttrs)
	dynamicMap := blockSchema(configschema.NestingMap, dynamicAttrs)
	tests := map[string]struct {
		schema          *configschema.Block
		planned, actual cty.Value
		want            []string
	}{
		"unknown map of blocks":       {plainMap, withBlock(blockMap), withBlock(cty.UnknownVal(cty.Map(elementType))), []string{".b"}},
		"a map that became a tuple":   {dynamicMap, withBlock(blockObject), withBlock(blockTuple), []string{".b"}},
		"a root that became a string": {plainMap, withBlock(blockMap), cty.StringVal(secret), []string{""}},
		"a block that became a string": {
			dynamicMap, withBlock(blockObject), withBlock(cty.ObjectVal(object{"k": cty.StringVal(secret)})), []string{".b.k"},
		},
		"a block without its attribute": {
			dynamicMap, withBlock(blockObject), withBlock(cty.ObjectVal(object{"k": cty.EmptyObjectVal})), []string{".b.k.a"},
		},
		"no values": {plainMap, cty.NilVal, cty.NilVal, nil},
		"no schema": {nil, cty.EmptyObjectVal, cty.EmptyObjectVal, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := objchange.AssertObjectCompatible(tt.schema, tt.planned, tt.actual)
			if diff := cmp.Diff(tt.want, errorPaths(t, errs)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

// TestPlannedDataOfDynamicBlockList checks the planned data of blocks with
// dynamic types in a list, for which the rules of maps apply. Terraform does
// not support data sources with such blocks.
func TestPlannedDataOfDynamicBlockList(t *testing.T) {
	t.Parallel()
	schema := blockSchema(configschema.NestingList, dynamicAttrs)
	got := objchange.PlannedDataResourceObject(schema, withBlock(cty.TupleVal([]cty.Value{unsetElement, oneElement})))
	if want := withBlock(cty.TupleVal([]cty.Value{unknownPlain, oneElement})); !got.RawEquals(want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestViolationsAreSortedPathErrors(t *testing.T) {
	t.Parallel()
	list := &configschema.NestedBlock{Nesting: configschema.NestingList, Block: configschema.Block{Attributes: attrs{
		"a": {Type: cty.String, Optional: true}, "z": {Type: cty.String, Optional: true},
	}}}
	schema := &configschema.Block{
		Attributes: attrs{
			"a": {Type: cty.String, Required: true}, "c": {Type: cty.Number, Optional: true},
			"secret": {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
		},
		BlockTypes: map[string]*configschema.NestedBlock{"b": list},
	}
	value := func(text string) cty.Value {
		var elements []cty.Value
		for range 12 {
			elements = append(elements, cty.ObjectVal(object{"a": cty.StringVal(text), "z": cty.StringVal("same")}))
		}
		return cty.ObjectVal(object{
			"a": cty.StringVal(text), "c": cty.NumberIntVal(int64(len(text))), "b": cty.ListVal(elements),
			"secret": cty.MapVal(object{"x": cty.StringVal(text), "y": cty.StringVal(text)}),
		})
	}
	for name, errs := range map[string][]error{
		"AssertPlanValid":        objchange.AssertPlanValid(schema, cty.NilVal, value("one"), value("three")),
		"AssertObjectCompatible": objchange.AssertObjectCompatible(schema, value("one"), value("three")),
	} {
		var got []string
		for _, err := range errs {
			var pathErr cty.PathError
			if !errors.As(err, &pathErr) {
				t.Fatalf("%s: the error is %v of type %[2]T, want a cty.PathError", name, err)
			}
			got = append(got, formatPath(pathErr.Path))
		}
		want := []string{
			".a", ".b[0].a", ".b[1].a", ".b[2].a", ".b[3].a", ".b[4].a", ".b[5].a",
			".b[6].a", ".b[7].a", ".b[8].a", ".b[9].a", ".b[10].a", ".b[11].a", ".c", ".secret",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: order of the paths (-want +got):\n%s", name, diff)
		}
	}
}

// TestDeepPath checks paths that are longer than the preallocated steps.
func TestDeepPath(t *testing.T) {
	t.Parallel()
	ty := cty.List(cty.String)
	one, two := cty.StringVal("one"), cty.StringVal("two")
	planned, actual := cty.ListVal([]cty.Value{one, one}), cty.ListVal([]cty.Value{two, two})
	deep := ".a"
	for range 12 {
		ty = cty.List(ty)
		planned, actual = cty.ListVal([]cty.Value{planned}), cty.ListVal([]cty.Value{actual})
		deep += "[0]"
	}
	schema := &configschema.Block{Attributes: attrs{"a": {Type: ty, Required: true}, "b": {Type: cty.Bool, Optional: true}}}
	root := func(v, b cty.Value) cty.Value { return cty.ObjectVal(object{"a": v, "b": b}) }
	errs := objchange.AssertObjectCompatible(schema, root(planned, cty.True), root(actual, cty.False))
	if diff := cmp.Diff([]string{deep + "[0]", deep + "[1]", ".b"}, errorPaths(t, errs)); diff != "" {
		t.Errorf("paths of the errors (-want +got):\n%s", diff)
	}
}

// TestPlanOfNestedTypeLengths checks that a planned nested type is a violation at
// the attribute if it has a different number of elements or different keys, or is
// null or unknown.
func TestPlanOfNestedTypeLengths(t *testing.T) {
	t.Parallel()
	elements := func(texts ...string) []cty.Value {
		var list []cty.Value
		for _, text := range texts {
			list = append(list, cty.ObjectVal(object{"a": cty.StringVal(text)}))
		}
		return list
	}
	keyed := func(texts ...string) cty.Value {
		values := object{}
		for i, e := range elements(texts...) {
			values[texts[i]] = e
		}
		return cty.MapVal(values)
	}
	tests := map[string]struct {
		mode            configschema.NestingMode
		config, planned cty.Value
	}{
		"shorter list": {configschema.NestingList, cty.ListVal(elements("x", "y")), cty.ListVal(elements("x"))},
		"longer list":  {configschema.NestingList, cty.ListVal(elements("x")), cty.ListVal(elements("x", "y"))},
		"shorter set":  {configschema.NestingSet, cty.SetVal(elements("x", "y")), cty.SetVal(elements("x"))},
		"longer set":   {configschema.NestingSet, cty.SetVal(elements("x")), cty.SetVal(elements("x", "y"))},
		"shorter map":  {configschema.NestingMap, keyed("x", "y"), keyed("x")},
		"longer map":   {configschema.NestingMap, keyed("x"), keyed("x", "y")},
		"other keys":   {configschema.NestingMap, keyed("x", "y"), keyed("x", "z")},
		"null":         {configschema.NestingList, cty.ListVal(elements("x")), cty.NullVal(cty.List(elementType))},
		"unknown":      {configschema.NestingList, cty.ListVal(elements("x")), cty.UnknownVal(cty.List(elementType))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := &configschema.Block{Attributes: attrs{"b": {
				Optional: true, NestedType: &configschema.Object{Nesting: tt.mode, Attributes: plainAttrs},
			}}}
			errs := objchange.AssertPlanValid(schema, cty.NilVal, withBlock(tt.config), withBlock(tt.planned))
			if diff := cmp.Diff([]string{".b"}, errorPaths(t, errs)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestResultOfSets checks that two planned elements of a set may become
// equal, but that every actual element must match a planned element, and every
// planned element an actual one.
func TestResultOfSets(t *testing.T) {
	t.Parallel()
	schema := &configschema.Block{Attributes: attrs{"a": {Type: cty.Set(cty.String), Optional: true}}}
	set := func(list ...cty.Value) cty.Value { return cty.ObjectVal(object{"a": cty.SetVal(list)}) }
	prefix := cty.UnknownVal(cty.String).Refine().StringPrefixFull("ab").NewValue()
	abc, zzz := cty.StringVal("abc"), cty.StringVal("zzz")
	clean(t, "planned elements may become equal", objchange.AssertObjectCompatible(schema, set(prefix, abc), set(abc)))
	for name, actual := range map[string]cty.Value{
		"an unplanned element":       set(abc, zzz),
		"a missing planned element":  set(zzz),
		"more elements than planned": set(abc, cty.StringVal("abd"), cty.StringVal("abe")),
	} {
		errs := objchange.AssertObjectCompatible(schema, set(prefix, abc), actual)
		if diff := cmp.Diff([]string{".a"}, errorPaths(t, errs)); diff != "" {
			t.Errorf("%s: violations (-want +got):\n%s", name, diff)
		}
	}
}

// TestPlanOfNullElements checks that a null element of a nested type counts
// as an object of null attributes, in the configuration and in the plan, at
// three depths.
func TestPlanOfNullElements(t *testing.T) {
	t.Parallel()
	inner := attrs{"s": {Type: cty.String, Optional: true}, "n": {Type: cty.List(cty.Number), Optional: true}, "any": {Type: cty.Bool, Optional: true, Computed: true}, "w": {Type: cty.String, Optional: true, WriteOnly: true}}
	innerType := (&configschema.Object{Nesting: configschema.NestingSingle, Attributes: inner}).ImpliedType()
	unset := cty.ObjectVal(object{"s": cty.NullVal(cty.String), "n": cty.NullVal(cty.List(cty.Number)), "any": cty.NullVal(cty.Bool), "w": cty.NullVal(cty.String)})
	set := cty.ObjectVal(object{"s": cty.StringVal(secret), "n": cty.NullVal(cty.List(cty.Number)), "any": cty.NullVal(cty.Bool), "w": cty.NullVal(cty.String)})
	null, unknown := cty.NullVal(innerType), cty.UnknownVal(innerType)
	elements := map[string]struct {
		config, planned cty.Value
		want            []string // paths of violations, below the element
	}{
		"nothing set, null planned":   {unset, null, nil},
		"null configured, and unset":  {null, unset, nil},
		"null configured, and set":    {null, set, []string{".s"}},
		"set, null planned":           {set, null, []string{".s"}},
		"null for an unknown element": {unknown, null, []string{".any", ".n", ".s"}},
		"unknown for a null element":  {null, unknown, []string{".n", ".s", ".w"}},
	}
	collections := map[string]struct {
		mode configschema.NestingMode
		of   func(cty.Value) cty.Value
		at   string
	}{
		"list": {configschema.NestingList, func(v cty.Value) cty.Value { return cty.ListVal([]cty.Value{v}) }, "[0]"},
		"map":  {configschema.NestingMap, func(v cty.Value) cty.Value { return cty.MapVal(object{"k": v}) }, ".k"},
	}
	for name, tt := range elements {
		for kind, c := range collections {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				t.Parallel()
				schema, at := attrs{"b": {Optional: true, NestedType: &configschema.Object{Nesting: c.mode, Attributes: inner}}}, ".b"+c.at
				config, planned := withBlock(c.of(tt.config)), withBlock(c.of(tt.planned))
				for depth := range 3 {
					var want []string
					for _, below := range tt.want {
						want = append(want, at+below)
					}
					for _, prior := range []cty.Value{cty.NilVal, withBlock(cty.NullVal(config.GetAttr("b").Type()))} {
						errs := objchange.AssertPlanValid(&configschema.Block{Attributes: schema}, prior, config, planned)
						if nulls := objchange.NullElements(&configschema.Block{Attributes: schema}, prior, config, planned); len(nulls) != 1 || formatPath(nulls[0]) != at {
							t.Errorf("depth %d: null elements %v, want %s", depth, nulls, at)
						}
						if diff := cmp.Diff(want, errorPaths(t, errs)); diff != "" {
							t.Errorf("depth %d: violations (-want +got):\n%s\n%v", depth, diff, errs)
						}
					}
					schema = attrs{"b": {Optional: true, NestedType: &configschema.Object{Nesting: c.mode, Attributes: schema}}}
					config, planned, at = withBlock(c.of(config)), withBlock(c.of(planned)), ".b"+c.at+at
				}
			})
		}
	}
	// In a null element, an object of a nested type counts as null.
	outer := attrs{"o": {Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingSingle, Attributes: inner}}}
	schema := &configschema.Block{Attributes: attrs{"b": {Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingList, Attributes: outer}}}}
	of := func(v cty.Value) cty.Value { return withBlock(cty.ListVal([]cty.Value{v})) }
	outerNull := cty.NullVal(cty.Object(map[string]cty.Type{"o": innerType}))
	clean(t, "a null object in a null element", objchange.AssertPlanValid(schema, cty.NilVal, of(cty.ObjectVal(object{"o": null})), of(outerNull)))
	errs := objchange.AssertPlanValid(schema, cty.NilVal, of(cty.ObjectVal(object{"o": unset})), of(outerNull))
	if diff := cmp.Diff([]string{".b[0].o"}, errorPaths(t, errs)); diff != "" {
		t.Errorf("violations of an object in a null element (-want +got):\n%s", diff)
	}
}

// TestPlanOfNullWithAnotherType checks that a planned null must have the configured type, except
// in attributes with a nested type.
func TestPlanOfNullWithAnotherType(t *testing.T) {
	t.Parallel()
	nested := &configschema.Object{Nesting: configschema.NestingSet, Attributes: attrs{"s": {Type: cty.String, Optional: true}}}
	for name, tt := range map[string]struct {
		attr *configschema.Attribute
		want []string
	}{
		"nested type": {&configschema.Attribute{NestedType: nested, Optional: true}, nil},
		"plain type":  {&configschema.Attribute{Type: nested.ImpliedType(), Optional: true}, []string{".b"}},
	} {
		schema := &configschema.Block{Attributes: attrs{"b": tt.attr}}
		config := withBlock(cty.NullVal(nested.ImpliedType()))
		planned := withBlock(cty.NullVal(cty.List(cty.Object(map[string]cty.Type{"s": cty.String}))))
		if diff := cmp.Diff(tt.want, errorPaths(t, objchange.AssertPlanValid(schema, cty.NilVal, config, planned))); diff != "" {
			t.Errorf("%s: violations (-want +got):\n%s", name, diff)
		}
	}
}

package objchange_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// chosenAttrs are the attributes of a computed block. All of them are computed.
var chosenAttrs = attrs{"a": {Type: cty.String, Optional: true, Computed: true}}

// computedBlocks returns a schema with one type of computed blocks.
func computedBlocks(mode configschema.NestingMode) *configschema.Block {
	schema := blockSchema(mode, chosenAttrs)
	schema.BlockTypes["b"].Computed = true
	return schema
}

// blockCollections has one block in a collection of each kind.
var blockCollections = map[configschema.NestingMode]cty.Value{
	configschema.NestingList: cty.ListVal([]cty.Value{oneElement}),
	configschema.NestingSet:  cty.SetVal([]cty.Value{oneElement}),
	configschema.NestingMap:  blockMap,
}

// emptyBlocks returns the empty collection of the blocks "b" of schema.
func emptyBlocks(schema *configschema.Block) cty.Value { return schema.BlockTypes["b"].EmptyValue() }

// TestPrepareComputedBlocks checks that only empty collections of computed blocks become null.
func TestPrepareComputedBlocks(t *testing.T) {
	t.Parallel()
	check := func(name string, schema *configschema.Block, config, want cty.Value) {
		t.Helper()
		if got := objchange.PrepareComputedBlocks(schema, config); !got.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", name, got, want)
		}
	}
	for mode, configured := range blockCollections {
		computed, other := computedBlocks(mode), blockSchema(mode, chosenAttrs)
		empty, null, unknown := withBlock(emptyBlocks(other)), withBlock(cty.NullVal(configured.Type())), withBlock(cty.UnknownVal(configured.Type()))
		check("no blocks", computed, empty, null)
		check("null blocks", computed, null, null)
		check("unknown blocks", computed, unknown, unknown)
		check("configured blocks", computed, withBlock(configured), withBlock(configured))
		check("blocks that are not computed", other, empty, empty)
		check("a marked collection", computed, withBlock(emptyBlocks(other).Mark("m")), withBlock(cty.NullVal(configured.Type()).Mark("m")))

		outer := blockSchema(configschema.NestingList, nil)
		outer.BlockTypes["b"].BlockTypes = computed.BlockTypes
		list := func(v cty.Value) cty.Value { return withBlock(cty.ListVal([]cty.Value{v})) }
		check("computed blocks in another block", outer, list(empty), list(null))
	}
	single := computedBlocks(configschema.NestingSingle)
	check("a single block", single, withBlock(oneElement), withBlock(oneElement))
	check("no single block", single, withBlock(cty.NullVal(elementType)), withBlock(cty.NullVal(elementType)))
	emptyAttribute := &configschema.Block{
		Attributes: attrs{"x": {Type: cty.List(cty.String), Optional: true, Computed: true}}, BlockTypes: single.BlockTypes,
	}
	config := cty.ObjectVal(object{"x": cty.ListValEmpty(cty.String), "b": cty.NullVal(elementType)})
	check("an empty attribute", emptyAttribute, config, config)
	check("no value", single, cty.NilVal, cty.NilVal)
}

// TestPlanOfComputedBlocks checks that a provider may choose blocks only if they are computed and
// none is configured, that it must not plan a null collection, and that it must not choose blocks
// with an older client.
func TestPlanOfComputedBlocks(t *testing.T) {
	t.Parallel()
	for mode, chosen := range blockCollections {
		computed, other := computedBlocks(mode), blockSchema(mode, chosenAttrs)
		null, empty := withBlock(cty.NullVal(chosen.Type())), withBlock(emptyBlocks(other))
		planned, unknown := withBlock(chosen), withBlock(cty.UnknownVal(chosen.Type()))
		for _, plan := range []cty.Value{planned, unknown, empty} {
			clean(t, "a provider may choose computed blocks", objchange.AssertPlanValid(computed, cty.NilVal, null, plan))
		}
		for name, errs := range map[string][]error{
			"null planned":                  objchange.AssertPlanValid(computed, cty.NilVal, null, null),
			"unknown for configured blocks": objchange.AssertPlanValid(computed, cty.NilVal, planned, unknown),
			"unknown for other blocks":      objchange.AssertPlanValid(other, cty.NilVal, null, unknown),
			"an older client":               objchange.AssertPlanValidWithNullBlocks(computed, cty.NilVal, null, unknown),
		} {
			if diff := cmp.Diff([]string{".b"}, errorPaths(t, errs)); diff != "" {
				t.Errorf("mode %d, %s: violations (-want +got):\n%s", mode, name, diff)
			}
		}
	}
	single, null := computedBlocks(configschema.NestingSingle), withBlock(cty.NullVal(elementType))
	for _, plan := range []cty.Value{null, withBlock(oneElement), withBlock(cty.UnknownVal(elementType))} {
		clean(t, "a provider may choose a computed block", objchange.AssertPlanValid(single, cty.NilVal, null, plan))
	}
}

// TestResultOfComputedBlocks checks that unknown computed blocks may become any blocks in the
// planned range, but not a null collection, and that known planned blocks must not change.
func TestResultOfComputedBlocks(t *testing.T) {
	t.Parallel()
	other := cty.ObjectVal(object{"a": cty.StringVal("other")})
	others := map[configschema.NestingMode]cty.Value{
		configschema.NestingList: cty.ListVal([]cty.Value{other}),
		configschema.NestingSet:  cty.SetVal([]cty.Value{other}),
		configschema.NestingMap:  cty.MapVal(object{"k": other}),
	}
	for mode, chosen := range blockCollections {
		schema := computedBlocks(mode)
		planned, null := withBlock(cty.UnknownVal(chosen.Type())), withBlock(cty.NullVal(chosen.Type()))
		clean(t, "unknown blocks become blocks", objchange.AssertObjectCompatible(schema, planned, withBlock(chosen)))
		clean(t, "planned blocks stay", objchange.AssertObjectCompatible(schema, withBlock(chosen), withBlock(chosen)))
		narrow := withBlock(cty.UnknownVal(chosen.Type()).Refine().CollectionLengthLowerBound(2).NewValue())
		for name, errs := range map[string][]error{
			"unknown becomes null":              objchange.AssertObjectCompatible(schema, planned, null),
			"planned becomes null":              objchange.AssertObjectCompatible(schema, withBlock(chosen), null),
			"fewer blocks than the plan allows": objchange.AssertObjectCompatible(schema, narrow, withBlock(chosen)),
		} {
			if diff := cmp.Diff([]string{".b"}, errorPaths(t, errs)); diff != "" {
				t.Errorf("mode %d, %s: violations (-want +got):\n%s", mode, name, diff)
			}
		}
		if errs := objchange.AssertObjectCompatible(schema, withBlock(chosen), withBlock(others[mode])); len(errs) == 0 {
			t.Errorf("mode %d: AssertObjectCompatible accepts a change of planned blocks", mode)
		}
	}
	single, unknown := computedBlocks(configschema.NestingSingle), withBlock(cty.UnknownVal(elementType))
	for _, result := range []cty.Value{withBlock(oneElement), withBlock(cty.NullVal(elementType))} {
		clean(t, "an unknown block becomes a block or null", objchange.AssertObjectCompatible(single, unknown, result))
	}
}

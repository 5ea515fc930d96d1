package objchange_test

import (
	"maps"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// TestSetCorrelation checks whether a configured block of a set corresponds to the prior
// block: if it does, the ID that the provider chose for the prior block is kept.
func TestSetCorrelation(t *testing.T) {
	t.Parallel()
	schema := &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{"b": {
		Nesting: configschema.NestingSet,
		Block: configschema.Block{
			Attributes: attrs{
				"id":    {Type: cty.String, Computed: true},
				"name":  {Type: cty.String, Required: true},
				"note":  {Type: cty.String, Optional: true},
				"ports": {Type: cty.Set(cty.Number), Optional: true, Computed: true},
			},
			BlockTypes: map[string]*configschema.NestedBlock{
				"in":  {Nesting: configschema.NestingList, Block: configschema.Block{Attributes: plainAttrs}},
				"set": {Nesting: configschema.NestingSet, Block: configschema.Block{Attributes: plainAttrs}},
			},
		},
	}}}
	nullString, nullPorts := cty.NullVal(cty.String), cty.NullVal(cty.Set(cty.Number))
	noneIn, noneInSet := cty.ListValEmpty(elementType), cty.SetValEmpty(elementType)
	base := object{
		"id": nullString, "name": cty.StringVal("n"), "note": nullString, "ports": nullPorts, "in": noneIn, "set": noneInSet,
	}
	with := func(changes object) cty.Value {
		values := object{}
		for _, from := range []object{base, changes} {
			maps.Copy(values, from)
		}
		return cty.ObjectVal(values)
	}
	id := cty.StringVal("chosen")
	one := cty.ListVal([]cty.Value{oneElement})
	two := cty.ListVal([]cty.Value{oneElement, oneElement})
	tests := map[string]struct {
		prior, config cty.Value
		continues     bool
	}{
		"all equal except the ID":    {with(object{"id": id}), with(nil), true},
		"another name":               {with(object{"id": id, "name": cty.StringVal("m")}), with(nil), false},
		"removed note":               {with(object{"id": id, "note": cty.StringVal("note")}), with(nil), false},
		"set chosen by the provider": {with(object{"id": id, "ports": cty.SetVal([]cty.Value{cty.Zero})}), with(nil), false},
		"one more configured block":  {with(object{"id": id, "in": one}), with(object{"in": two}), true},
		"one less configured block":  {with(object{"id": id, "in": two}), with(object{"in": one}), false},
		"another set of blocks": {
			with(object{"id": id, "set": cty.SetVal([]cty.Value{oneElement})}), with(nil), false,
		},
		"set with one more configured block": {
			with(object{"id": id}), with(object{"set": cty.SetVal([]cty.Value{oneElement})}), false,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(v cty.Value) cty.Value { return withBlock(cty.SetVal([]cty.Value{v})) }
			got := objchange.ProposedNew(schema, set(tt.prior), set(tt.config)).GetAttr("b").AsValueSlice()[0].GetAttr("id")
			if got.RawEquals(id) != tt.continues || got.IsNull() == tt.continues {
				t.Errorf("got the proposed id %#v, want the prior id to be kept: %t", got, tt.continues)
			}
		})
	}
}

// TestSetCorrelationTakesEachOnce checks that two configured blocks never
// correspond to the same prior block.
func TestSetCorrelationTakesEachOnce(t *testing.T) {
	t.Parallel()
	schema := blockSchema(configschema.NestingSet, attrs{
		"id": {Type: cty.String, Computed: true}, "n": {Type: cty.String, Optional: true, Computed: true},
	})
	block := func(id, n cty.Value) cty.Value { return cty.ObjectVal(object{"id": id, "n": n}) }
	null, x, id := cty.NullVal(cty.String), cty.StringVal("x"), cty.StringVal("id")
	prior := withBlock(cty.SetVal([]cty.Value{block(id, x)}))
	config := withBlock(cty.SetVal([]cty.Value{block(null, null), block(null, x)}))
	kept := 0
	for _, e := range objchange.ProposedNew(schema, prior, config).GetAttr("b").AsValueSlice() {
		if e.GetAttr("id").RawEquals(id) {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d proposed blocks have the id of the prior block, want 1", kept)
	}
}

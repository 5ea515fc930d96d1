package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// TestShrinkKeepsBlock checks that minimizing may omit a block whose value is from Type.Values,
// but does not change it.
func TestShrinkKeepsBlock(t *testing.T) {
	t.Parallel()
	rule := &configschema.NestedBlock{Nesting: configschema.NestingList, Block: configschema.Block{
		Attributes: map[string]*configschema.Attribute{"name": {Type: cty.String, Required: true}},
	}}
	rules := cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("abc")})})
	k := &shrinker{s: &subject{
		Type: Type{Values: map[string]func(*rand.Rand) cty.Value{"rule": func(*rand.Rand) cty.Value { return rules }}},
		body: &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{"rule": rule}},
	}}
	n := 0
	for e := range k.edits(cty.ObjectVal(map[string]cty.Value{"rule": rules})) {
		if n++; n > 1 || nameOf(e.path) != "rule" || !e.to.RawEquals(rule.EmptyValue()) {
			t.Errorf("edit %d sets %s to %#v, want only one edit, which omits the block rule", n, nameOf(e.path), e.to)
		}
	}
	if n == 0 {
		t.Error("there is no edit, want one that omits the block rule")
	}
}

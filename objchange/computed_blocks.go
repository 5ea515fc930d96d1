package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// PrepareComputedBlocks returns a configuration in the form in which Terraform sends it to
// a provider and uses it in [AssertPlanValid]: empty collections of computed blocks
// become null, which means that the provider may choose the blocks. Other values stay as they
// are.
func PrepareComputedBlocks(schema *configschema.Block, val cty.Value) cty.Value {
	if val == cty.NilVal || !schema.ContainsComputedBlocks() {
		return val
	}
	prepared, _ := cty.Transform(val, func(path cty.Path, v cty.Value) (cty.Value, error) {
		blocks := plain(v)
		if !isSequence(blocks) && !isMapping(blocks) && !isSet(blocks) || blocks.LengthInt() > 0 {
			return v, nil
		}
		nested := schema.NestedBlockByPath(path)
		if nested == nil || !nested.Computed || nested.Nesting == configschema.NestingSingle || nested.Nesting == configschema.NestingGroup {
			return v, nil
		}
		return cty.NullVal(v.Type()).WithSameMarks(v), nil
	}) // the function returns no error
	return prepared
}

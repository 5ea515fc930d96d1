package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// NormalizeObjectFromLegacySDK returns an object of a provider that is built with SDKv2, with
// blocks as other providers return them: a null list or set of blocks becomes empty, a null group
// becomes a block without configured attributes, and unknown blocks become one block with unknown
// attributes. SDKv2 does not distinguish between these forms. Maps of blocks and blocks with dynamic types, which
// SDKv2 does not have, are not changed, nor are attributes.
//
// A value that does not have the implied type of the schema is returned unchanged, except for
// [cty.NilVal], for which the result is a null object. Marks are kept.
func NormalizeObjectFromLegacySDK(val cty.Value, schema *configschema.Block) cty.Value {
	if val == cty.NilVal {
		return cty.NullVal(schema.ImpliedType())
	}
	if val.Type().TestConformance(schema.ImpliedType()) != nil {
		return val
	}
	unmarked, marks := val.UnmarkDeepWithPaths()
	return normalizeObject(unmarked, schema).MarkWithPaths(marks)
}

func normalizeObject(val cty.Value, schema *configschema.Block) cty.Value {
	if val.IsNull() || !val.IsKnown() || len(schema.BlockTypes) == 0 {
		return val
	}
	values := val.AsValueMap()
	for name, nested := range schema.BlockTypes {
		values[name] = normalizeBlocks(values[name], nested)
	}
	return cty.ObjectVal(values)
}

func normalizeBlocks(val cty.Value, nested *configschema.NestedBlock) cty.Value {
	ty := nested.Block.ImpliedType()
	if ty.HasDynamicTypes() || nested.Nesting == configschema.NestingMap {
		return val
	}
	if !val.IsKnown() {
		return unknownBlocks(nested)
	}
	switch nested.Nesting { //nolint:exhaustive // maps are handled above
	case configschema.NestingList, configschema.NestingSet:
		if val.IsNull() || val.LengthInt() == 0 {
			return nested.EmptyValue()
		}
		objects := val.AsValueSlice()
		for i, object := range objects {
			objects[i] = normalizeObject(object, &nested.Block)
		}
		if nested.Nesting == configschema.NestingList {
			return cty.ListVal(objects)
		}
		return cty.SetVal(objects)
	case configschema.NestingGroup:
		if val.IsNull() {
			return nested.EmptyValue()
		}
	}
	return normalizeObject(val, &nested.Block)
}

// unknownBlocks returns one block with unknown attributes, like the value of a dynamic block
// with an unknown for_each. For a map, it returns no blocks, because the keys are unknown.
func unknownBlocks(nested *configschema.NestedBlock) cty.Value {
	values := make(map[string]cty.Value, len(nested.Attributes)+len(nested.BlockTypes))
	for name, attr := range nested.Attributes {
		values[name] = cty.UnknownVal(attr.ImpliedType())
	}
	for name, inner := range nested.BlockTypes {
		values[name] = unknownBlocks(inner)
	}
	object := cty.ObjectVal(values)
	switch nested.Nesting { //nolint:exhaustive // single and group are the object
	case configschema.NestingList:
		return cty.ListVal([]cty.Value{object})
	case configschema.NestingSet:
		return cty.SetVal([]cty.Value{object})
	case configschema.NestingMap:
		return nested.EmptyValue()
	default:
		return object
	}
}

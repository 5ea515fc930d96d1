package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// normalized is an object that was read, with empty collections for nested blocks
// that the provider left null: SDKv2 does not tell the two apart. Terraform does
// so only where the schema has nothing that SDKv2 does not have.
func (n *node) normalized(v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() || len(n.schema.Body.BlockTypes) == 0 || n.terraform() && modern(n.schema.Body) {
		return v
	}
	return normalize(n.schema.Body, v)
}

func normalize(schema *configschema.Block, v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	vals := v.AsValueMap()
	for name, nested := range schema.BlockTypes {
		vals[name] = normalizeBlock(nested, vals[name])
	}
	if len(vals) == 0 {
		return v
	}
	return cty.ObjectVal(vals)
}

func normalizeBlock(nested *configschema.NestedBlock, v cty.Value) cty.Value {
	switch {
	case !v.IsKnown():
		return v
	case nested.Nesting == configschema.NestingSingle || nested.Nesting == configschema.NestingGroup:
		return normalize(&nested.Block, v)
	case v.IsNull() && nested.Nesting == configschema.NestingMap:
		return v
	case v.IsNull():
		return nested.EmptyValue()
	}
	ty := v.Type()
	switch {
	case v.LengthInt() == 0:
		return v
	case ty.IsMapType() || ty.IsObjectType():
		vals := v.AsValueMap()
		for k, e := range vals {
			vals[k] = normalize(&nested.Block, e)
		}
		if ty.IsMapType() {
			return cty.MapVal(vals)
		}
		return cty.ObjectVal(vals)
	}
	vals := v.AsValueSlice()
	for i, e := range vals {
		vals[i] = normalize(&nested.Block, e)
	}
	switch {
	case ty.IsListType():
		return cty.ListVal(vals)
	case ty.IsSetType():
		return cty.SetVal(vals)
	default:
		return cty.TupleVal(vals)
	}
}

// modern reports whether a schema has what SDKv2 cannot have.
func modern(schema *configschema.Block) bool {
	for _, attr := range schema.Attributes {
		if attr.NestedType != nil {
			return true
		}
	}
	for _, nested := range schema.BlockTypes {
		if nested.Nesting == configschema.NestingMap || nested.Nesting == configschema.NestingGroup || nested.Nesting == configschema.NestingSingle || modern(&nested.Block) {
			return true
		}
	}
	return false
}

package configschema

import "github.com/zclconf/go-cty/cty"

// EmptyValue returns the value of an empty configuration: attributes are null
// and nested blocks have their empty values.
func (b *Block) EmptyValue() cty.Value {
	if b == nil {
		return cty.EmptyObjectVal
	}
	values := make(map[string]cty.Value, len(b.Attributes)+len(b.BlockTypes))
	for name, attr := range b.Attributes {
		values[name] = attr.EmptyValue()
	}
	for name, nested := range b.BlockTypes {
		values[name] = nested.EmptyValue()
	}
	return cty.ObjectVal(values)
}

// EmptyValue returns the value of a configuration without such a block: null
// for a single block, the empty object for a group, otherwise the empty
// collection.
func (b *NestedBlock) EmptyValue() cty.Value {
	if b == nil {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	switch b.Nesting {
	case NestingGroup:
		return b.Block.EmptyValue()
	case NestingList, NestingMap, NestingSet:
		return emptyCollection(b.Nesting, b.Block.ImpliedType(), true)
	default:
		return cty.NullVal(b.ImpliedType())
	}
}

// EmptyValue returns null, the value of an attribute that is not set.
func (a *Attribute) EmptyValue() cty.Value {
	return cty.NullVal(a.ImpliedType())
}

// EmptyValue returns an empty object of the nested type, whose attributes are
// null, or the empty collection. (An attribute that is not set is null instead,
// see [Attribute.EmptyValue].)
func (o *Object) EmptyValue() cty.Value {
	if o == nil {
		return cty.EmptyObjectVal
	}
	switch o.Nesting {
	case NestingList, NestingMap, NestingSet:
		return emptyCollection(o.Nesting, o.ObjectType(), false)
	}
	values := make(map[string]cty.Value, len(o.Attributes))
	for name, attr := range o.Attributes {
		values[name] = attr.EmptyValue()
	}
	return cty.ObjectVal(values)
}

// emptyCollection returns the empty collection. With blocks, a list or map of
// objects with dynamic types is a tuple or an object.
func emptyCollection(mode NestingMode, object cty.Type, blocks bool) cty.Value {
	structural := blocks && object.HasDynamicTypes()
	switch {
	case mode == NestingSet:
		return cty.SetValEmpty(object)
	case mode == NestingList && structural:
		return cty.EmptyTupleVal
	case mode == NestingList:
		return cty.ListValEmpty(object)
	case structural:
		return cty.EmptyObjectVal
	default:
		return cty.MapValEmpty(object)
	}
}

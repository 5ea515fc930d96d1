package configschema

import "github.com/zclconf/go-cty/cty"

// EmptyValue is what a configuration with nothing in it gives: attributes are
// null and nested blocks have their own empty value.
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

// EmptyValue is what a configuration without such a block gives: null for a
// single block, the empty object for a group, else the empty collection.
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

// EmptyValue is null: an attribute that nobody set.
func (a *Attribute) EmptyValue() cty.Value {
	return cty.NullVal(a.ImpliedType())
}

// EmptyValue is an object of the nested type with nothing in it: all attributes
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

// emptyCollection has blocks true where a list or map of dynamic objects is
// held as a tuple or an object.
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

package configschema

import "github.com/zclconf/go-cty/cty"

// ImpliedType is the object type of values of the block: one attribute for each
// attribute and each block type. A nil block has the empty object type.
//
// The type is built anew on each call; who needs it often keeps it.
func (b *Block) ImpliedType() cty.Type {
	if b == nil {
		return cty.EmptyObject
	}
	types := make(map[string]cty.Type, len(b.Attributes)+len(b.BlockTypes))
	for name, attr := range b.Attributes {
		types[name] = attr.ImpliedType()
	}
	for name, nested := range b.BlockTypes {
		types[name] = nested.ImpliedType()
	}
	return cty.Object(types)
}

// ImpliedType is the type that the nested blocks have as one attribute of the
// object around them: the block's object type, or a collection of it.
//
// A list or map of blocks whose type is not fully known is dynamic as a whole,
// because each block may then have a type of its own: its values are tuples and
// objects. A set has no such form, which is why no dynamic type may be in it.
func (b *NestedBlock) ImpliedType() cty.Type {
	if b == nil {
		return cty.DynamicPseudoType
	}
	object := b.Block.ImpliedType()
	switch b.Nesting {
	case NestingSingle, NestingGroup:
		return object
	case NestingSet:
		return cty.Set(object)
	case NestingList, NestingMap:
		if object.HasDynamicTypes() {
			return cty.DynamicPseudoType
		}
		if b.Nesting == NestingList {
			return cty.List(object)
		}
		return cty.Map(object)
	default:
		return cty.DynamicPseudoType
	}
}

// ImpliedType is the type of values of the attribute. An attribute that has
// neither type nor nested type, which is unlawful, is dynamic.
func (a *Attribute) ImpliedType() cty.Type {
	switch {
	case a == nil:
		return cty.DynamicPseudoType
	case a.NestedType != nil:
		return a.NestedType.ImpliedType()
	case a.Type == cty.NilType:
		return cty.DynamicPseudoType
	default:
		return a.Type
	}
}

// ImpliedType is the type of values of the nested type: the object type of its
// attributes, or a collection of it. Unlike a block, a list or map of objects
// with dynamic parts stays a list or map: its elements share one type.
func (o *Object) ImpliedType() cty.Type {
	object := o.ObjectType()
	if o == nil {
		return object
	}
	switch o.Nesting {
	case NestingList:
		return cty.List(object)
	case NestingSet:
		return cty.Set(object)
	case NestingMap:
		return cty.Map(object)
	default:
		return object
	}
}

// ObjectType is the type of one object of the nested type, without the
// collection around it.
func (o *Object) ObjectType() cty.Type {
	if o == nil {
		return cty.EmptyObject
	}
	types := make(map[string]cty.Type, len(o.Attributes))
	for name, attr := range o.Attributes {
		types[name] = attr.ImpliedType()
	}
	return cty.Object(types)
}

package configschema

import "github.com/zclconf/go-cty/cty"

// ImpliedType returns the object type of values of the block, with an attribute
// for each attribute and block type. A nil block has the empty object type.
//
// Each call builds the type; callers that need it often should keep it.
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

// ImpliedType returns the type of the nested blocks as an attribute of the
// enclosing object: the block's object type, or a collection of it.
//
// A list or map of blocks with dynamic types is dynamic as a whole, because
// each block may have a different type; the value is then a tuple or an object. Sets
// have no such form, so they must not contain dynamic types.
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

// ImpliedType returns the type of values of the attribute, in which no attribute of
// an object is optional: a value has all of them. It is dynamic for an invalid
// attribute with neither type nor nested type.
func (a *Attribute) ImpliedType() cty.Type {
	return a.SpecType().WithoutOptionalAttributesDeep()
}

// SpecType returns the type constraint of configured values of the attribute: the
// implied type, but attributes of an object that are not required are optional.
func (a *Attribute) SpecType() cty.Type {
	switch {
	case a == nil:
		return cty.DynamicPseudoType
	case a.NestedType != nil:
		return a.NestedType.specType()
	case a.Type == cty.NilType:
		return cty.DynamicPseudoType
	default:
		return a.Type
	}
}

func (o *Object) specType() cty.Type {
	types := make(map[string]cty.Type, len(o.Attributes))
	var optional []string
	for name, attr := range o.Attributes {
		types[name] = attr.SpecType()
		if attr == nil || !attr.Required {
			optional = append(optional, name)
		}
	}
	return o.collection(cty.ObjectWithOptionalAttrs(types, optional))
}

// ImpliedType returns the type of values of the nested type: the object type of
// its attributes, or a collection of it. A list or map of objects with dynamic
// types remains a list or map, because its elements share one type. A list or map
// of blocks does not.
func (o *Object) ImpliedType() cty.Type {
	if o == nil {
		return o.ObjectType()
	}
	return o.collection(o.ObjectType())
}

// collection returns the collection type of o for elements of the type object, or object
// itself if o is a single object.
func (o *Object) collection(object cty.Type) cty.Type {
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

// ObjectType returns the type of one object of the nested type, without the
// collection.
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

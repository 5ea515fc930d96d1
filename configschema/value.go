package configschema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// CoerceValue returns in as a value of the block's implied type: values are
// converted, and missing attributes and blocks are as in an empty configuration.
// It is for values that were not decoded from a configuration with this schema;
// decoding gives better errors.
//
// It returns one error, even if there are several: a missing required attribute,
// an attribute that the schema does not have, or a value that cannot be
// converted. The error is a [cty.PathError], and the value is then unknown. The
// number of blocks is not checked.
func (b *Block) CoerceValue(in cty.Value) (cty.Value, error) {
	return b.coerce(in, nil)
}

func (b *Block) coerce(in cty.Value, at cty.Path) (cty.Value, error) {
	if b == nil {
		b = &Block{}
	}
	unmarked, marks := in.Unmark()
	switch ty := unmarked.Type(); {
	case in == cty.NilVal || unmarked.IsNull():
		return cty.NullVal(b.ImpliedType()).WithMarks(marks), nil
	case ty != cty.DynamicPseudoType && !ty.IsObjectType() && !ty.IsMapType():
		return cty.UnknownVal(b.ImpliedType()), at.NewErrorf("an object is required")
	case !unmarked.IsKnown():
		return cty.UnknownVal(b.ImpliedType()).WithMarks(marks), nil
	}
	given := unmarked.AsValueMap()
	values := make(map[string]cty.Value, len(b.Attributes)+len(b.BlockTypes))
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		v, ok := given[name]
		coerced, err := b.Attributes[name].coerce(name, v, ok, at)
		if err != nil {
			return cty.UnknownVal(b.ImpliedType()), err
		}
		values[name] = coerced
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		v, ok := given[name]
		if !ok || nested == nil {
			values[name] = nested.EmptyValue()
			continue
		}
		coerced, err := nested.coerce(v, child(at, cty.GetAttrStep{Name: name}))
		if err != nil {
			return cty.UnknownVal(b.ImpliedType()), err
		}
		values[name] = coerced
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := values[name]; !ok {
			return cty.UnknownVal(b.ImpliedType()), at.NewErrorf("unexpected attribute %q", name)
		}
	}
	return cty.ObjectVal(values).WithMarks(marks), nil
}

// coerce converts v, the value of the attribute with this name in the object at a path. If
// v is not given, it returns null, or an error if the attribute is required.
func (a *Attribute) coerce(name string, v cty.Value, given bool, at cty.Path) (cty.Value, error) {
	if !given {
		if a != nil && a.Required {
			return cty.NilVal, at.NewErrorf("attribute %q is required", name)
		}
		return a.EmptyValue(), nil
	}
	coerced, err := convert.Convert(v, a.SpecType())
	if err != nil {
		return cty.NilVal, child(at, cty.GetAttrStep{Name: name}).NewError(err)
	}
	return coerced, nil
}

// coerce converts in, the blocks of type b at a path.
func (b *NestedBlock) coerce(in cty.Value, at cty.Path) (cty.Value, error) {
	unmarked, marks := in.Unmark()
	if b.Nesting == NestingSingle || b.Nesting == NestingGroup {
		return b.Block.coerce(in, at)
	}
	switch {
	case unmarked.IsNull():
		return cty.NullVal(b.ImpliedType()).WithMarks(marks), nil
	case !unmarked.IsKnown():
		return cty.UnknownVal(b.ImpliedType()).WithMarks(marks), nil
	case !unmarked.CanIterateElements():
		return cty.NilVal, at.NewErrorf("must be a %s", map[NestingMode]string{NestingList: "list", NestingSet: "set", NestingMap: "map"}[b.Nesting])
	case unmarked.LengthInt() == 0:
		return b.EmptyValue().WithMarks(marks), nil
	case b.Nesting == NestingMap && !unmarked.Type().IsMapType() && !unmarked.Type().IsObjectType():
		return cty.NilVal, at.NewErrorf("must be a map")
	}
	var list []cty.Value
	keyed := map[string]cty.Value{}
	for key, object := range unmarked.Elements() {
		coerced, err := b.Block.coerce(object, child(at, cty.IndexStep{Key: key}))
		if err != nil {
			return cty.NilVal, err
		}
		list = append(list, coerced)
		if b.Nesting == NestingMap {
			keyed[key.AsString()] = coerced
		}
	}
	structural := b.Block.ImpliedType().HasDynamicTypes()
	switch {
	case b.Nesting == NestingMap && structural:
		return cty.ObjectVal(keyed).WithMarks(marks), nil
	case b.Nesting == NestingMap:
		return cty.MapVal(keyed).WithMarks(marks), nil
	case b.Nesting == NestingSet && !structural:
		return cty.SetVal(list).WithMarks(marks), nil
	case b.Nesting == NestingList && structural:
		return cty.TupleVal(list).WithMarks(marks), nil
	case b.Nesting == NestingList:
		return cty.ListVal(list).WithMarks(marks), nil
	default:
		return cty.NilVal, at.NewError(fmt.Errorf("the schema has an invalid nesting mode"))
	}
}

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

// EmptyValue returns the value of a configuration without a block of this type: null
// for a single block, the block's empty value for a group, otherwise the empty
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

// EmptyValue returns one object of the nested type with null attributes, or the empty
// collection. (An attribute that is not set is null instead; see [Attribute.EmptyValue].)
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

// emptyCollection returns the empty collection: for blocks with dynamic types, an empty
// tuple in place of a list, and an empty object in place of a map.
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

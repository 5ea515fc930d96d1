package objchange_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// secret is part of every generated string, so that a test can detect an error text that
// contains a value.
const secret = "hush"

// source generates schemas and values from bytes, deterministically. After the
// last byte, it generates minimal values, so it always ends.
type source struct{ data []byte }

func (s *source) pick(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

// where restricts what is generated.
type where struct {
	depth int
	// inSet excludes dynamic types, write-only attributes, and attributes that are
	// optional and computed, with which two elements may merge into one.
	inSet bool
}

func (w where) deeper(mode configschema.NestingMode) where {
	return where{w.depth + 1, w.inSet || mode == configschema.NestingSet}
}

func (s *source) schema() *configschema.Block { return s.block(where{}) }

func (s *source) block(w where) *configschema.Block {
	block := &configschema.Block{
		Attributes: s.attributes(w),
		BlockTypes: map[string]*configschema.NestedBlock{},
	}
	for i := range s.pick(3) {
		if w.depth > 1 {
			break
		}
		mode := configschema.NestingSingle + configschema.NestingMode(s.pick(5))
		block.BlockTypes[string(rune('p'+i))] = &configschema.NestedBlock{
			Nesting: mode, Block: *s.block(w.deeper(mode)),
		}
	}
	return block
}

func (s *source) attributes(w where) map[string]*configschema.Attribute {
	attrs := map[string]*configschema.Attribute{}
	for i := range s.pick(4) {
		attr := &configschema.Attribute{Sensitive: s.pick(4) == 3}
		switch s.pick(4) {
		case 0:
			attr.Required = true
		case 1:
			attr.Optional = true
		case 2:
			attr.Computed = true
		default:
			attr.Optional, attr.Computed = true, !w.inSet
		}
		attr.WriteOnly = attr.Optional && !attr.Computed && !w.inSet && s.pick(4) == 3
		if w.depth < 2 && s.pick(3) == 2 {
			modes := []configschema.NestingMode{
				configschema.NestingSingle, configschema.NestingList, configschema.NestingSet, configschema.NestingMap,
			}
			mode := modes[s.pick(len(modes))]
			attr.WriteOnly = false // its inner attributes would have to be write-only, too
			attr.NestedType = &configschema.Object{Nesting: mode, Attributes: s.attributes(w.deeper(mode))}
		} else {
			types := []cty.Type{
				cty.String, cty.Number, cty.Bool, cty.List(cty.String), cty.Map(cty.Number), cty.Set(cty.String),
				cty.Object(map[string]cty.Type{"m": cty.String, "n": cty.Number}),
				cty.Tuple([]cty.Type{cty.String, cty.Bool}), cty.Map(cty.List(cty.String)), cty.DynamicPseudoType,
			}
			if w.inSet {
				types = types[:len(types)-1]
			}
			attr.Type = types[s.pick(len(types))]
		}
		attrs[string(rune('a'+i))] = attr
	}
	return attrs
}

// role determines which parts of a generated value may be null or unknown.
type role int

const (
	// asConfig is a partially unknown value that is null where only the provider
	// may set a value.
	asConfig role = iota
	// asPrior is a wholly known value that is null where a value is never stored.
	asPrior
	// asAnything is any value of the type, with null and unknown elements.
	asAnything
)

func (s *source) object(schema *configschema.Block, r role) cty.Value {
	values := s.attributeValues(schema.Attributes, r)
	for _, name := range sortedKeys(schema.BlockTypes) {
		values[name] = s.nestedBlock(schema.BlockTypes[name], r)
	}
	return cty.ObjectVal(values)
}

func (s *source) attributeValues(attrs map[string]*configschema.Attribute, r role) map[string]cty.Value {
	values := make(map[string]cty.Value, len(attrs))
	for _, name := range sortedKeys(attrs) {
		attr := attrs[name]
		ty := attr.ImpliedType()
		choice := s.pick(6)
		switch {
		case r == asConfig && attr.Computed && !attr.Optional,
			r == asPrior && attr.WriteOnly,
			choice == 0 && !(attr.Required && r == asConfig):
			values[name] = cty.NullVal(ty)
		case choice == 1 && r != asPrior:
			values[name] = s.unknown(ty)
		case attr.NestedType != nil:
			values[name] = s.nested(attr.NestedType.Nesting, attr.NestedType.ObjectType(), false, r, func() cty.Value {
				return cty.ObjectVal(s.attributeValues(attr.NestedType.Attributes, r))
			})
		default:
			values[name] = s.value(ty)
		}
	}
	return values
}

func (s *source) nestedBlock(b *configschema.NestedBlock, r role) cty.Value {
	if choice := s.pick(8); r == asAnything && choice == 7 || b.Nesting == configschema.NestingSingle && choice == 6 {
		return cty.NullVal(b.ImpliedType())
	} else if choice == 5 && r != asPrior {
		return cty.UnknownVal(b.ImpliedType())
	}
	object := b.Block.ImpliedType()
	return s.nested(b.Nesting, object, object.HasDynamicTypes(), r, func() cty.Value { return s.object(&b.Block, r) })
}

// nested generates the objects of a nested type or block. With structural,
// lists and maps are tuples and objects.
func (s *source) nested(mode configschema.NestingMode, object cty.Type, structural bool, r role, make func() cty.Value) cty.Value {
	if mode == configschema.NestingSingle || mode == configschema.NestingGroup {
		return make()
	}
	element := func() cty.Value {
		if choice := s.pick(8); r == asAnything && choice == 6 {
			return cty.NullVal(object)
		} else if r == asAnything && choice == 7 {
			return cty.UnknownVal(object)
		}
		return make()
	}
	var list []cty.Value
	for range s.pick(4) {
		list = append(list, element())
	}
	if mode == configschema.NestingMap {
		mapping := map[string]cty.Value{}
		for i, e := range list {
			mapping[fmt.Sprintf("%s-%d", secret, (i+s.pick(2))%3)] = e
		}
		switch {
		case structural:
			return cty.ObjectVal(mapping)
		case len(mapping) == 0 || !cty.CanMapVal(mapping):
			return cty.MapValEmpty(object)
		default:
			return cty.MapVal(mapping)
		}
	}
	switch {
	case mode == configschema.NestingList && structural:
		return cty.TupleVal(list)
	case mode == configschema.NestingList && (len(list) == 0 || !cty.CanListVal(list)):
		return cty.ListValEmpty(object)
	case mode == configschema.NestingList:
		return cty.ListVal(list)
	case len(list) == 0:
		return cty.SetValEmpty(object)
	default:
		return cty.SetVal(list)
	}
}

func (s *source) unknown(ty cty.Type) cty.Value {
	if v := cty.UnknownVal(ty); ty.HasDynamicTypes() || s.pick(3) != 2 {
		return v
	}
	if ty == cty.String {
		return cty.UnknownVal(ty).Refine().NotNull().StringPrefixFull(secret).NewValue()
	}
	return cty.UnknownVal(ty).RefineNotNull()
}

// value generates a wholly known value without nulls.
func (s *source) value(ty cty.Type) cty.Value {
	switch {
	case ty == cty.String:
		return cty.StringVal(fmt.Sprint(secret, s.pick(4)))
	case ty == cty.Number:
		return cty.NumberFloatVal([]float64{0, 1, 0.1, 1e30}[s.pick(4)])
	case ty == cty.Bool:
		return cty.BoolVal(s.pick(2) == 1)
	case ty == cty.DynamicPseudoType:
		// This is always a string, because the elements of a list have one type.
		return s.value(cty.String)
	case ty.IsObjectType():
		values := map[string]cty.Value{}
		for _, name := range sortedKeys(ty.AttributeTypes()) {
			values[name] = s.value(ty.AttributeType(name))
		}
		return cty.ObjectVal(values)
	case ty.IsTupleType():
		var list []cty.Value
		for _, ety := range ty.TupleElementTypes() {
			list = append(list, s.value(ety))
		}
		return cty.TupleVal(list)
	}
	var list []cty.Value
	for range s.pick(4) {
		list = append(list, s.value(ty.ElementType()))
	}
	if s.pick(16) == 15 { // enough to count as large
		for range 9 {
			list = append(list, s.value(ty.ElementType()))
		}
	}
	switch {
	case ty.IsMapType() && len(list) == 0:
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsMapType():
		mapping := map[string]cty.Value{}
		for i, e := range list {
			mapping[fmt.Sprint(secret, "-", i)] = e
		}
		return cty.MapVal(mapping)
	case len(list) == 0 && ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case len(list) == 0:
		return cty.SetValEmpty(ty.ElementType())
	case ty.IsListType():
		return cty.ListVal(list)
	default:
		return cty.SetVal(list)
	}
}

// complete replaces unknown values with values that they may become.
func (s *source) complete(v cty.Value) cty.Value {
	v, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case v.Type().HasDynamicTypes():
			// A value of a specific type could differ in type from the other elements.
			return cty.NullVal(v.Type()), nil
		case s.pick(3) == 2 && v.Range().CouldBeNull():
			return cty.NullVal(v.Type()), nil
		default:
			return s.value(v.Type()), nil
		}
	})
	if err != nil {
		panic(err)
	}
	return v
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

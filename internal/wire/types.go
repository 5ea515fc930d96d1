package wire

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// The primitive types and the dynamic type are shared, because each conversion to an
// interface allocates.
var protoString, protoNumber, protoBool, protoDynamic tftypes.Type = tftypes.String, tftypes.Number, tftypes.Bool, tftypes.DynamicPseudoType

// TypeToProto converts a type constraint to its protocol form. It returns an error for
// [cty.NilType] and for a type that is or contains a capsule type.
func TypeToProto(ty cty.Type) (tftypes.Type, error) {
	switch {
	case ty == cty.NilType:
		return nil, errors.New("the type is missing")
	case ty == cty.String:
		return protoString, nil
	case ty == cty.Number:
		return protoNumber, nil
	case ty == cty.Bool:
		return protoBool, nil
	case ty == cty.DynamicPseudoType:
		return protoDynamic, nil
	case ty.IsCollectionType():
		ety, err := TypeToProto(ty.ElementType())
		if err != nil {
			return nil, err
		}
		switch {
		case ty.IsListType():
			return tftypes.List{ElementType: ety}, nil
		case ty.IsSetType():
			return tftypes.Set{ElementType: ety}, nil
		default:
			return tftypes.Map{ElementType: ety}, nil
		}
	case ty.IsTupleType():
		etys := make([]tftypes.Type, 0, ty.Length())
		for _, ety := range ty.TupleElementTypes() {
			t, err := TypeToProto(ety)
			if err != nil {
				return nil, err
			}
			etys = append(etys, t)
		}
		return tftypes.Tuple{ElementTypes: etys}, nil
	case ty.IsObjectType():
		return objectTypeToProto(ty)
	}
	return nil, fmt.Errorf("the protocol does not support the type %s", ty.FriendlyName())
}

func objectTypeToProto(ty cty.Type) (tftypes.Type, error) {
	object := tftypes.Object{AttributeTypes: make(map[string]tftypes.Type, len(ty.AttributeTypes()))}
	for name, aty := range ty.AttributeTypes() {
		t, err := TypeToProto(aty)
		if err != nil {
			return nil, err
		}
		object.AttributeTypes[name] = t
	}
	if optional := ty.OptionalAttributes(); len(optional) > 0 {
		object.OptionalAttributes = optional
	}
	return object, nil
}

// TypeFromProto is the inverse of [TypeToProto]. It returns an error for a type that is nil,
// unknown or inconsistent.
func TypeFromProto(t tftypes.Type) (cty.Type, error) {
	switch t := t.(type) {
	case nil:
		return cty.NilType, errors.New("the type is missing")
	case tftypes.List:
		ety, err := TypeFromProto(t.ElementType)
		return collection(cty.List, ety, err)
	case tftypes.Set:
		ety, err := TypeFromProto(t.ElementType)
		return collection(cty.Set, ety, err)
	case tftypes.Map:
		ety, err := TypeFromProto(t.ElementType)
		return collection(cty.Map, ety, err)
	case tftypes.Tuple:
		etys := make([]cty.Type, 0, len(t.ElementTypes))
		for _, e := range t.ElementTypes {
			ety, err := TypeFromProto(e)
			if err != nil {
				return cty.NilType, err
			}
			etys = append(etys, ety)
		}
		return cty.Tuple(etys), nil
	case tftypes.Object:
		return objectTypeFromProto(t)
	}
	switch {
	case t.Is(tftypes.String):
		return cty.String, nil
	case t.Is(tftypes.Number):
		return cty.Number, nil
	case t.Is(tftypes.Bool):
		return cty.Bool, nil
	case t.Is(tftypes.DynamicPseudoType):
		return cty.DynamicPseudoType, nil
	}
	return cty.NilType, fmt.Errorf("unknown type %s", t)
}

func collection(of func(cty.Type) cty.Type, ety cty.Type, err error) (cty.Type, error) {
	if err != nil {
		return cty.NilType, err
	}
	return of(ety), nil
}

func objectTypeFromProto(t tftypes.Object) (cty.Type, error) {
	atys := make(map[string]cty.Type, len(t.AttributeTypes))
	for name, a := range t.AttributeTypes {
		aty, err := TypeFromProto(a)
		if err != nil {
			return cty.NilType, err
		}
		atys[name] = aty
	}
	var optional []string
	for name := range t.OptionalAttributes {
		if _, ok := atys[name]; !ok {
			return cty.NilType, fmt.Errorf("the optional attribute %s is not an attribute of the object type", quoteName(name))
		}
		optional = append(optional, name)
	}
	return cty.ObjectWithOptionalAttrs(atys, optional), nil
}

// maxTypeDepth limits the nesting of received types.
const maxTypeDepth = 64

// codecOfTypeJSON returns the codec of a type in the JSON form of go-cty. Nearly all such
// types are primitive.
func codecOfTypeJSON(s string) (*Codec, error) {
	switch s {
	case `"string"`:
		return stringCodec, nil
	case `"number"`:
		return numberCodec, nil
	case `"bool"`:
		return boolCodec, nil
	case `"dynamic"`:
		return anyCodec, nil
	}
	r := jsonReader{s: s}
	ty, err := r.typ(maxTypeDepth)
	if err != nil {
		return nil, err
	}
	if r.space(); r.pos < len(r.s) {
		return nil, failBadType()
	}
	return compile(ty), nil
}

// codecOfType returns the JSON form and the codec of a type.
func codecOfType(ty cty.Type) (typeJSON string, c *Codec, err error) {
	switch ty {
	case cty.String:
		return `"string"`, stringCodec, nil
	case cty.Number:
		return `"number"`, numberCodec, nil
	case cty.Bool:
		return `"bool"`, boolCodec, nil
	}
	b, err := ty.MarshalJSON()
	if err != nil {
		return "", nil, failCapsule()
	}
	return string(b), compile(ty), nil
}

func failBadType() error { return failf("the type of the value is invalid") }

// typ reads a type. It ignores which attributes of an object type are optional, because
// that does not affect the values of the type.
func (r *jsonReader) typ(depth int) (cty.Type, error) {
	if depth == 0 {
		return cty.NilType, &failure{err: errTooDeep}
	}
	if r.next() == '"' {
		name, err := r.str()
		if err != nil {
			return cty.NilType, err
		}
		switch name {
		case "string":
			return cty.String, nil
		case "number":
			return cty.Number, nil
		case "bool":
			return cty.Bool, nil
		case "dynamic":
			return cty.DynamicPseudoType, nil
		}
		return cty.NilType, failBadType()
	}
	if !r.accept('[') || r.next() != '"' {
		return cty.NilType, failBadType()
	}
	constructor, err := r.str()
	if err != nil {
		return cty.NilType, err
	}
	if !r.accept(',') {
		return cty.NilType, failBadType()
	}
	var ty cty.Type
	switch constructor {
	case "list":
		ty, err = r.collectionType(cty.List, depth)
	case "set":
		ty, err = r.collectionType(cty.Set, depth)
	case "map":
		ty, err = r.collectionType(cty.Map, depth)
	case "tuple":
		ty, err = r.tupleType(depth)
	case "object":
		ty, err = r.objectType(depth)
	default:
		err = failBadType()
	}
	if err != nil {
		return cty.NilType, err
	}
	if !r.accept(']') {
		return cty.NilType, failBadType()
	}
	return ty, nil
}

func (r *jsonReader) collectionType(of func(cty.Type) cty.Type, depth int) (cty.Type, error) {
	ety, err := r.typ(depth - 1)
	return collection(of, ety, err)
}

func (r *jsonReader) tupleType(depth int) (cty.Type, error) {
	etys := []cty.Type{}
	err := r.array(func(int) error {
		ety, err := r.typ(depth - 1)
		etys = append(etys, ety)
		return err
	})
	return cty.Tuple(etys), err
}

func (r *jsonReader) objectType(depth int) (cty.Type, error) {
	atys := map[string]cty.Type{}
	err := r.object(func(name string) error {
		aty, err := r.typ(depth - 1)
		atys[name] = aty
		return err
	})
	if err != nil {
		return cty.NilType, err
	}
	if r.accept(',') {
		if err := r.skip(); err != nil {
			return cty.NilType, err
		}
	}
	return cty.Object(atys), nil
}

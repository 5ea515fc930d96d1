package wire

import (
	"github.com/zclconf/go-cty/cty"
)

// maxTypeDepth limits the nesting of types.
const maxTypeDepth = 64

// codecOfTypeJSON compiles the type of a value, given in the JSON form of go-cty.
// Nearly all of them are primitive.
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

// codecOfType is the inverse of [codecOfTypeJSON].
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

func failBadType() error { return failf("the type of the value is not a type") }

// typ reads a type. It ignores which attributes of an object type are optional,
// because that matters for configuration and not for values.
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
	case "list", "set", "map":
		ety, err := r.typ(depth - 1)
		if err != nil {
			return cty.NilType, err
		}
		ty = collectionType(constructor, ety)
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

func collectionType(constructor string, ety cty.Type) cty.Type {
	switch constructor {
	case "list":
		return cty.List(ety)
	case "set":
		return cty.Set(ety)
	default:
		return cty.Map(ety)
	}
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

package wire

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// The encoders check the type of a value while they encode it, so that they walk the
// value only once.

// attributeTypes returns the types of the attributes of an object of type ty, or nil if
// ty shares its map of attributes with the type of c. It returns an error if ty is not an object type, or if
// the names differ from those of c.
func (c *Codec) attributeTypes(ty cty.Type) (map[string]cty.Type, error) {
	if !ty.IsObjectType() {
		return nil, c.failType(ty)
	}
	types := ty.AttributeTypes()
	if sameAttributes(types, c.ty.AttributeTypes()) {
		return nil, nil
	}
	if len(types) == len(c.names) {
		all := true
		for _, name := range c.names {
			if _, ok := types[name]; !ok {
				all = false
				break
			}
		}
		if all {
			return types, nil
		}
	}
	return nil, c.failType(ty)
}

// elementTypes returns the types of the elements of a tuple of type ty, or an error if
// ty is not a tuple type or the number of elements differs from that of c.
func (c *Codec) elementTypes(ty cty.Type) ([]cty.Type, error) {
	if !ty.IsTupleType() {
		return nil, c.failType(ty)
	}
	types := ty.TupleElementTypes()
	if len(types) != len(c.items) {
		return nil, c.failType(ty)
	}
	return types, nil
}

// admit returns an error if a null or unknown value of type ty is not valid for the type
// of c. A value of dynamic type is valid for each type, and each value is valid for the
// dynamic type.
func (c *Codec) admit(ty cty.Type) error {
	switch {
	case ty == cty.DynamicPseudoType || c.kind == kindDynamic:
		return nil
	case ty == cty.NilType:
		return failNil()
	case c.kind == kindObject && ty.IsObjectType() && sameAttributes(ty.AttributeTypes(), c.ty.AttributeTypes()):
		return nil
	case ty.Equals(c.ty) || ty.TestConformance(c.ty) == nil:
		return nil
	}
	return c.failType(ty)
}

// failType returns an error about the difference between ty and the type of c. go-cty
// returns several errors in varying order; failType returns the first by text.
func (c *Codec) failType(ty cty.Type) error {
	if ty == cty.NilType {
		return failNil()
	}
	errs := ty.TestConformance(c.ty)
	if len(errs) == 0 {
		return failf("a value of type %s is required", c.ty.FriendlyName())
	}
	return &failure{err: slices.MinFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })}
}

func (c *Codec) underElement(i int, err error) error {
	if c.kind == kindSet {
		return inSet(err)
	}
	return underIndex(i, err)
}

func failMarked() error { return failf("a marked value cannot be sent") }
func failNil() error    { return failf("the value is missing") }

func failTooLarge() error {
	return failf("the number is too large or too small to be sent")
}

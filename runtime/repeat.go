package runtime

import (
	"math/big"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// repeats reports whether src would be encoded as exactly ref, which is known and not null.
// Resources mostly return the values that they were given. This check allocates values only
// for the less frequent kinds, while encoding a collection of objects allocates all of them
// and hashes the elements of sets.
//
// The elements of a set are expected in the order in which they were decoded; in a different
// order, repeats returns false. It also returns false for a collection with null elements.
func (e encoder) repeats(n *node, src reflect.Value, ref cty.Value) bool {
	switch n.kind { //nolint:exhaustive // the others are encoded and compared
	case kindString:
		return src.String() == ref.AsString()
	case kindBool:
		return src.Bool() == ref.True()
	case kindInt:
		i, acc := ref.AsBigFloat().Int64()
		return acc == big.Exact && i == src.Int()
	case kindPointer:
		return !src.IsNil() && e.repeats(n.elem, src.Elem(), ref)
	case kindList, kindSet:
		return e.repeatsSlice(n, src, ref)
	case kindMap:
		return e.repeatsMap(n, src, ref)
	case kindObject:
		for _, f := range n.fields {
			if !e.repeatsField(f, src, ref.GetAttr(f.name)) {
				return false
			}
		}
		return true
	}
	v, err := e.value(n, src, ref)
	return err == nil && v.RawEquals(ref)
}

func (e encoder) repeatsField(f *field, src reflect.Value, ref cty.Value) bool {
	switch {
	case f.writeOnly:
		return ref.IsNull()
	case !ref.IsKnown():
		return false
	case !ref.IsNull():
		return e.inside(f).repeats(f.node, f.in(src), ref)
	case e.leavesNull(f, ref):
		return true
	}
	v, err := e.field(f, src, ref) // null has special rules
	return err == nil && v.IsNull()
}

func (e encoder) repeatsSlice(n *node, src reflect.Value, ref cty.Value) bool {
	if src.IsNil() || !ref.Type().Equals(n.ctyType) || src.Len() != ref.LengthInt() {
		return false
	}
	for i, elem := range wire.Elements(ref) {
		if !usable(elem) || !e.repeats(n.elem, src.Index(i), elem) {
			return false
		}
	}
	return true
}

func (e encoder) repeatsMap(n *node, src reflect.Value, ref cty.Value) bool {
	if src.IsNil() {
		return false
	}
	if m, ok := reflect.TypeAssert[map[string]string](src); ok {
		return sameStrings(m, ref)
	}
	if !ref.Type().Equals(n.ctyType) || src.Len() != ref.LengthInt() {
		return false
	}
	refs := ref.AsValueMap()
	for it := src.MapRange(); it.Next(); {
		elem := refs[it.Key().String()] // the zero value is not usable
		if !usable(elem) || !e.repeats(n.elem, it.Value(), elem) {
			return false
		}
	}
	return true
}

func sameStrings(m map[string]string, ref cty.Value) bool {
	if same, ok := wire.SameStrings(ref, m); ok {
		return same
	}
	if !ref.Type().IsMapType() || len(m) != ref.LengthInt() {
		return false
	}
	for key, v := range ref.Elements() {
		s, ok := m[key.AsString()]
		if !ok || !usable(v) || v.AsString() != s {
			return false
		}
	}
	return true
}

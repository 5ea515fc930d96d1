package objchange

import (
	"reflect"

	"github.com/zclconf/go-cty/cty"
)

// Equal reports whether a and b have the same type and value. Unknown values of
// the same type are equal, regardless of their ranges. Marks are ignored.
//
// Numbers are equal if they have the same value or the same decimal notation,
// as in cty. Large collections that share memory, such as a list copied from the
// configuration to the plan, are compared in constant time.
func Equal(a, b cty.Value) bool { return equal(a, b, false) }

// EqualExact is like [Equal], but unknown values are equal only if their ranges
// are equal.
func EqualExact(a, b cty.Value) bool { return equal(a, b, true) }

func equal(a, b cty.Value, exact bool) bool {
	a, b = plain(a), plain(b)
	ty := a.Type()
	aKnown, bKnown := a.IsKnown(), b.IsKnown()
	switch {
	case aKnown != bKnown:
		return false
	case !aKnown:
		return ty.Equals(b.Type()) && (!exact || a.RawEquals(b))
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull() && ty.Equals(b.Type())
	case ty == cty.String || ty == cty.Bool:
		return a == b
	case ty == cty.Number:
		return b.Type() == cty.Number && equalNumbers(a, b)
	case ty.IsObjectType():
		return equalObjects(a, b, exact)
	case ty.IsTupleType():
		return b.Type().IsTupleType() && equalSequences(a, b, exact)
	case !ty.Equals(b.Type()):
		return false
	case sameMemory(a, b):
		return true
	case ty.IsListType():
		return equalSequences(a, b, exact)
	case ty.IsMapType():
		return equalMaps(a, b, exact)
	case ty.IsSetType():
		return equalSets(a, b, exact)
	default:
		return a.RawEquals(b)
	}
}

func equalNumbers(a, b cty.Value) bool {
	return a == b || a.LessThan(b).False() && a.GreaterThan(b).False() || a.RawEquals(b)
}

func equalObjects(a, b cty.Value, exact bool) bool {
	if !b.Type().IsObjectType() {
		return false
	}
	types := a.Type().AttributeTypes()
	if len(types) != len(b.Type().AttributeTypes()) {
		return false
	}
	for name := range types {
		av, bv := attribute(a, name), attribute(b, name)
		if bv == cty.NilVal || !equal(av, bv, exact) {
			return false
		}
	}
	return true
}

func equalSequences(a, b cty.Value, exact bool) bool {
	n := a.LengthInt()
	if n != b.LengthInt() {
		return false
	}
	for i := range n {
		key := indexKey(i)
		if !equal(a.Index(key), b.Index(key), exact) {
			return false
		}
	}
	return true
}

// equalMaps tries the comparison of cty first, because only cty can iterate
// over a map without sorting its keys.
func equalMaps(a, b cty.Value, exact bool) bool {
	if a.LengthInt() != b.LengthInt() {
		return false
	}
	if a.RawEquals(b) {
		return true
	}
	for key, av := range a.Elements() {
		if !b.HasIndex(key).True() || !equal(av, b.Index(key), exact) {
			return false
		}
	}
	return true
}

// equalSets compares elements in the order of cty, which is the same for equal
// sets.
func equalSets(a, b cty.Value, exact bool) bool {
	if a.LengthInt() != b.LengthInt() {
		return false
	}
	as, bs := a.AsValueSlice(), b.AsValueSlice()
	for i := range as {
		if !equal(as[i], bs[i], exact) {
			return false
		}
	}
	return true
}

// sameMemory reports whether two values are stored in the same Go map or slice.
// It may return false for values that share memory: it skips small collections, whose
// elements are faster to compare.
//
// It reads values by reflection. If cty changes how it stores values, the
// result is false: the caller then compares the elements, which is slower but correct.
func sameMemory(a, b cty.Value) bool {
	if !isLarge(a) || !isLarge(b) || !a.Type().Equals(b.Type()) || a.LengthInt() != b.LengthInt() {
		return false
	}
	at := memory(a)
	return at != 0 && at == memory(b)
}

func isLarge(v cty.Value) bool {
	return isKnown(v) && v.Type().IsCollectionType() && v.LengthInt() >= 8
}

func memory(v cty.Value) uintptr {
	fields := reflect.ValueOf(v)
	if fields.NumField() != 2 || fields.Field(1).Kind() != reflect.Interface {
		return 0
	}
	switch held := fields.Field(1).Elem(); held.Kind() {
	case reflect.Map, reflect.Slice:
		return held.Pointer()
	case reflect.Struct: // a set: its first field is a map
		if held.NumField() > 0 && held.Field(0).Kind() == reflect.Map {
			return held.Field(0).Pointer()
		}
	}
	return 0
}

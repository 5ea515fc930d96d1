package runtime

import (
	"math/big"
	"reflect"

	"github.com/zclconf/go-cty/cty"
)

// Changed reports whether two decoded values differ. Pointers are compared by the
// values that they point to, and numbers by value. A nil slice or map differs from
// an empty one.
func Changed[T any](prior, current T) bool {
	return changed(reflect.ValueOf(&prior).Elem(), reflect.ValueOf(&current).Elem())
}

func changed(a, b reflect.Value) bool {
	switch x := a.Interface().(type) {
	case *big.Float:
		y, ok := reflect.TypeAssert[*big.Float](b)
		if !ok || x == nil || y == nil {
			return !ok || x != y
		}
		return x.Cmp(y) != 0
	case cty.Value:
		y, ok := reflect.TypeAssert[cty.Value](b)
		if !ok || x == cty.NilVal || y == cty.NilVal {
			return !ok || (x == cty.NilVal) != (y == cty.NilVal)
		}
		return !x.RawEquals(y)
	}
	return !reflect.DeepEqual(a.Interface(), b.Interface())
}

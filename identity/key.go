package identity

import (
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

// maxDecimalBits is the size up to which the key of an integer is decimal. The
// decimal form of 1e999999999 would use up the memory.
const maxDecimalBits = 1024

// Key returns a string that is the same for two values of one type if and only
// if they are equal. Null, unknown and empty values have different keys. It is
// meant for maps and comparisons and is the same in every run. It contains the
// values, so it must not be shown.
func Key(v cty.Value) string {
	if v.ContainsMarked() {
		v, _ = v.UnmarkDeep()
	}
	return string(appendKey(nil, v))
}

// appendKey appends an unambiguous form of v: every part is a token, a quoted
// string, or in brackets with separators.
func appendKey(b []byte, v cty.Value) []byte {
	switch ty := v.Type(); {
	case v.IsNull():
		return append(b, "null"...)
	case !v.IsKnown():
		return append(b, '?')
	case ty == cty.String:
		return strconv.AppendQuote(b, v.AsString())
	case ty == cty.Bool:
		return strconv.AppendBool(b, v.True())
	case ty == cty.Number:
		return appendNumber(b, v.AsBigFloat())
	case ty.IsObjectType():
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			b = strconv.AppendQuote(b, name)
			b = append(b, ':')
			b = appendKey(b, v.GetAttr(name))
			b = append(b, ',')
		}
		return append(b, '}')
	case v.CanIterateElements():
		b = append(b, '[')
		for key, e := range v.Elements() {
			if ty.IsMapType() {
				b = strconv.AppendQuote(b, key.AsString())
				b = append(b, ':')
			}
			b = appendKey(b, e)
			b = append(b, ',')
		}
		return append(b, ']')
	default:
		return append(b, "opaque"...)
	}
}

// appendNumber appends a number so that equal numbers in the sense of cty are
// equal: integers by value, others by their shortest decimal form.
func appendNumber(b []byte, f *big.Float) []byte {
	switch {
	case !f.IsInt():
		return f.Append(b, 'g', -1)
	case f.MantExp(nil) <= maxDecimalBits:
		i, _ := f.Int(nil)
		return i.Append(b, 10)
	default:
		// This form does not depend on the precision of the number either.
		return f.Append(b, 'p', 0)
	}
}

package identity

import (
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

// maxDecimalBits is the size up to which the key of an integer is its decimal
// notation; the one of 1e999999999 would fill the memory.
const maxDecimalBits = 1024

// Key is a text that two identities of one schema have in common if and only if
// they are equal; it says so of any two values of the same type, and of objects
// attribute by attribute. Null, unknown and empty values have keys of their own.
// It is meant for maps and comparisons and is the same in every run; it contains
// the values and is not for display.
func Key(v cty.Value) string {
	if v.ContainsMarked() {
		v, _ = v.UnmarkDeep()
	}
	return string(appendKey(nil, v))
}

// appendKey writes a form that can be read back without doubt: every part is a
// token, a quoted string, or bracketed with separators.
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

// appendNumber follows cty's idea of equal numbers: integers by their value,
// others by their shortest decimal notation.
func appendNumber(b []byte, f *big.Float) []byte {
	switch {
	case !f.IsInt():
		return f.Append(b, 'g', -1)
	case f.MantExp(nil) <= maxDecimalBits:
		i, _ := f.Int(nil)
		return i.Append(b, 10)
	default:
		// This form, too, does not depend on the precision that the number
		// happens to be held in.
		return f.Append(b, 'p', 0)
	}
}

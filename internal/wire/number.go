package wire

import (
	"math"
	"math/big"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

const (
	// maxExponent is the maximum binary exponent of a number: see the package
	// documentation.
	maxExponent = 1 << 12
	// maxDigits limits the text of a number, because parsing takes quadratic time.
	// The longest text that an encoder writes for a valid number is shorter.
	maxDigits = 1 << 13
)

// smallInts has the most frequent numbers. Values are immutable and can be shared.
var smallInts = func() (ints [256]cty.Value) {
	for i := range ints {
		ints[i] = cty.NumberIntVal(int64(i))
	}
	return ints
}()

func intValue(i int64) cty.Value {
	if 0 <= i && i < int64(len(smallInts)) {
		return smallInts[i]
	}
	return cty.NumberIntVal(i)
}

func uintValue(u uint64) cty.Value {
	if u < uint64(len(smallInts)) {
		return smallInts[u]
	}
	return cty.NumberUIntVal(u)
}

func floatValue(f float64) (cty.Value, error) {
	if math.IsNaN(f) {
		return cty.NilVal, failf("a number is required, not NaN")
	}
	return cty.NumberFloatVal(f), nil
}

// parseNumber parses a decimal number. Its errors do not contain the text.
func parseNumber(s string) (cty.Value, error) {
	if i, ok := shortInt(s); ok {
		return intValue(i), nil
	}
	if len(s) > maxDigits {
		return cty.NilVal, failf("a number of at most %d characters is required", maxDigits)
	}
	v, err := cty.ParseNumberVal(s)
	if err != nil {
		return cty.NilVal, failf("a number is required")
	}
	f := floatOf(v)
	if f.IsInf() && strings.ContainsAny(s, "0123456789") || tooLarge(f) {
		return cty.NilVal, failf("the number is too large or too small to be represented")
	}
	return v, nil
}

func tooLarge(f *big.Float) bool {
	e := f.MantExp(nil)
	return e > maxExponent || e < -maxExponent
}

// shortInt parses an integer of at most 18 digits, which fits into 64 bits, and reports whether s is
// such an integer and not negative zero.
func shortInt(s string) (int64, bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var i int64
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, false
		}
		i = i*10 + int64(d-'0')
	}
	if len(digits) == len(s) {
		return i, true
	}
	// Negative zero differs from zero.
	return -i, i != 0
}

// stringValue returns cty.StringVal(s). It does not normalise ASCII text, which is always
// normalised.
func stringValue(s string) cty.Value {
	if direct {
		return compose(cty.String, normalize(s))
	}
	return cty.StringVal(s)
}

func normalize(s string) string {
	if isASCII(s) {
		return s
	}
	return cty.NormalizeString(s)
}

// isASCII reports whether s has only ASCII characters. It reads eight bytes at a time.
func isASCII(s string) bool {
	const high = 0x8080808080808080
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if w&high != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

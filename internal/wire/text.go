package wire

import "github.com/zclconf/go-cty/cty"

// stringValue is cty.StringVal without normalising ASCII text, which is normalised.
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

// isASCII reads eight bytes at a time.
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

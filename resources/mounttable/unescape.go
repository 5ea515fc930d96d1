package mounttable

import (
	"strconv"
	"strings"
)

// Unescape returns the text of a field, in which a backslash and three octal digits stand for a
// byte, such as white space. Other backslashes are kept.
func Unescape(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

package diag

import (
	"strings"
	"unicode"
)

// Printable returns s without control characters other than newlines and tabs, and with invalid
// UTF-8 replaced. Clients print messages as they are: the text of a host or a service must not move
// the cursor of a terminal or set the title of its window.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

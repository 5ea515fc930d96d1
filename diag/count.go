package diag

import (
	"fmt"
	"strings"
)

// Count returns a number with a noun: "1 byte", "2 bytes". The plural of the
// noun must be formed with an s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List returns items for a message, at most the given number of them and how many more
// there are: "a, b, and 3 more".
func List(items []string, most int) string {
	if more := len(items) - most; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(items[:most], ", "), more)
	}
	return strings.Join(items, ", ")
}

package diag

import "fmt"

// Count is a number of things for a sentence: "1 byte", "2 bytes". The noun is
// the singular of one that takes an s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

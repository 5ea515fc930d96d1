package diag

import "fmt"

// Count returns a number with a noun: "1 byte", "2 bytes". The plural of the
// noun must be formed with an s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

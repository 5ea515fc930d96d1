package diag

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// FormatPath returns a path as it is written in configuration: attribute names
// joined by dots, list indices and map keys in brackets. An element of a set is
// written as [*], because its key is its value, which may be sensitive. The
// empty path is "".
func FormatPath(p cty.Path) string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case cty.IndexStep:
			b.WriteString(formatKey(s.Key))
		}
	}
	return b.String()
}

func formatKey(key cty.Value) string {
	if key == cty.NilVal || key.IsMarked() || !key.IsKnown() || key.IsNull() {
		return "[*]"
	}
	switch key.Type() {
	case cty.Number:
		return "[" + key.AsBigFloat().Text('f', -1) + "]"
	case cty.String:
		return "[" + strconv.Quote(key.AsString()) + "]"
	default:
		return "[*]"
	}
}

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

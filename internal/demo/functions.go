package demo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Shout writes a text in capitals.
func Shout(text string) string { return strings.ToUpper(text) }

// Join puts words together; a separator that is null is a blank.
func Join(separator *string, words ...string) (string, error) {
	sep := " "
	if separator != nil {
		sep = *separator
	}
	for i, w := range words {
		if strings.Contains(w, "\n") {
			return "", runtime.ArgumentError(1+i, errors.New("a word has no line breaks"))
		}
	}
	return strings.Join(words, sep), nil
}

// Certain reports whether a value is known already.
func Certain(value runtime.Value[string]) bool { return !value.IsUnknown() }

// Headed is what an outline needs of a section; callers may pass more.
type Headed struct {
	Heading string
	Level   int64
}

// Outline lists the headings of sections, indented by their levels.
func Outline(sections []Headed) ([]string, error) {
	out := make([]string, len(sections))
	for i, s := range sections {
		if s.Level < 1 || s.Level > 6 {
			return nil, runtime.ArgumentError(0, fmt.Errorf("section %d has the level %d, which is not between 1 and 6", i, s.Level))
		}
		out[i] = strings.Repeat("  ", int(s.Level)-1) + s.Heading
	}
	return out, nil
}

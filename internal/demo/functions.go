package demo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Shout returns the text in upper case.
func Shout(text string) string { return strings.ToUpper(text) }

// Join returns the words joined by the separator, or by a space if it is null.
func Join(separator *string, words ...string) (string, error) {
	sep := " "
	if separator != nil {
		sep = *separator
	}
	for i, w := range words {
		if strings.Contains(w, "\n") {
			return "", runtime.ArgumentError(1+i, errors.New("a word must not have line breaks"))
		}
	}
	return strings.Join(words, sep), nil
}

// Certain reports whether a value is known.
func Certain(value runtime.Value[string]) bool { return !value.IsUnknown() }

// Headed has the attributes of a section that an outline uses; callers may pass more.
type Headed struct {
	Heading string
	Level   int64
}

// Outline returns the headings of sections, indented by level.
func Outline(sections []Headed) ([]string, error) {
	out := make([]string, len(sections))
	for i, s := range sections {
		if s.Level < 1 || s.Level > 6 {
			return nil, runtime.ArgumentError(0, fmt.Errorf("section %d has the level %d, want 1 to 6", i, s.Level))
		}
		out[i] = strings.Repeat("  ", int(s.Level)-1) + s.Heading
	}
	return out, nil
}

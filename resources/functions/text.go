package functions

import (
	"fmt"
	"strings"
)

// checkLine returns an error for a text that is more than one line.
func checkLine(what, text string) error {
	if i := strings.IndexAny(text, "\n\r\x00"); i >= 0 {
		return fmt.Errorf("%s must not contain %s", what, map[byte]string{'\n': "line breaks", '\r': "carriage returns", 0: "NUL bytes"}[text[i]])
	}
	return nil
}

// checkEnds returns an error for blanks at the ends, which a reader would remove.
func checkEnds(what, text string) error {
	if text != strings.TrimSpace(text) {
		return fmt.Errorf("%s must not begin or end with a blank, which readers remove; add the quotes that the program expects", what)
	}
	return nil
}

// isControl reports whether systemd rejects the control character in a value.
func isControl(c rune) bool { return c < ' ' && c != '\t' && c != '\n' || c == 0x7f }

// isPlain reports whether all shells take the byte literally.
func isPlain(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("_@%+:,./-", c) >= 0 }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

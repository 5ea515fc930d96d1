package hostname

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxName is how long a name Linux takes.
const maxName = 64

// check refuses what programs on the host, or others that look it up, would not take
// for a name (RFC 1123).
func check(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > maxName:
		return fmt.Errorf("the name has %d characters; Linux supports up to %d", len(name), maxName)
	case strings.Trim(name, "0123456789.") == "":
		return fmt.Errorf("%q would be read as an address: a name must contain a letter", name)
	}
	for label := range strings.SplitSeq(name, ".") {
		if err := checkLabel(label); err != nil {
			return fmt.Errorf("%q is not a valid host name: %w", name, err)
		}
	}
	return nil
}

func checkLabel(label string) error {
	switch {
	case label == "":
		return errors.New("must not begin or end with a dot, or have two dots in a row")
	case len(label) > 63:
		return errors.New("parts between dots can have up to 63 characters")
	case label[0] == '-' || label[len(label)-1] == '-':
		return errors.New("parts between dots must not begin or end with a dash")
	}
	odd := strings.IndexFunc(label, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	})
	if odd >= 0 {
		return errors.New("must consist of letters from a to z, digits, dashes and dots")
	}
	return nil
}

// inFile is the name in the text of /etc/hostname: its first line that is neither
// empty nor a comment. It is empty where there is none.
func inFile(text []byte) string {
	from, to := lineOf(text)
	return string(bytes.TrimSpace(text[from:to]))
}

// withName is the text with another name in it.
func withName(text []byte, name string) []byte {
	from, to := lineOf(text)
	var is bytes.Buffer
	is.Write(text[:from])
	if from > 0 && text[from-1] != '\n' {
		is.WriteByte('\n')
	}
	is.WriteString(name)
	if to == len(text) {
		is.WriteByte('\n')
	}
	is.Write(text[to:])
	return is.Bytes()
}

// lineOf says where the line is that has the name, without the newline at its end.
// Without one, that is the end.
func lineOf(text []byte) (from, to int) {
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		if line := bytes.TrimSpace(text[at:end]); len(line) > 0 && line[0] != '#' {
			return at, end
		}
		at = end + 1
	}
	return len(text), len(text)
}

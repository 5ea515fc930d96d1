package hostname

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

// maxName is the maximum length of a host name on Linux, in bytes.
const maxName = 64

// checkName returns an error if name is not a valid host name (RFC 1123) or is too long for
// Linux: programs would reject it.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name must not be empty")
	case len(name) > maxName:
		return fmt.Errorf("the name has %d bytes; Linux supports up to %d", len(name), maxName)
	case strings.Trim(name, "0123456789.") == "":
		return fmt.Errorf("%q would be read as an address: a name must not consist of digits and dots only", name)
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

// nameIn returns the name in the text of /etc/hostname, in the form for the state: the first line that is
// neither blank nor a comment. nameIn returns an empty string if there is no such line.
func nameIn(text []byte) string {
	from, to := lineOf(text)
	return address.Shown(string(bytes.TrimSpace(text[from:to])))
}

// withName returns the text with the line of the name replaced or, if there is none, added.
func withName(text []byte, name string) []byte {
	from, to := lineOf(text)
	var b bytes.Buffer
	b.Write(text[:from])
	if from > 0 && text[from-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(name)
	if to == len(text) {
		b.WriteByte('\n')
	}
	b.Write(text[to:])
	return b.Bytes()
}

// lineOf returns the range of the line with the name, without its newline, or an empty
// range at the end if there is none.
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

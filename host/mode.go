package host

import "fmt"

// Mode is the permission part of a POSIX file mode: nine permission bits and setuid
// (04000), setgid (02000) and sticky (01000), numbered as chmod(1) does and unlike
// [io/fs.FileMode].
//
// Its text is octal. 644 and 0644 are both accepted and are the same mode, which is written
// with four digits.
type Mode uint32

// The bits of a [Mode] other than the permission bits.
const (
	ModeSetuid Mode = 0o4000
	ModeSetgid Mode = 0o2000
	ModeSticky Mode = 0o1000

	ModeMask Mode = 0o7777 // all bits that a Mode can have
)

// ParseMode parses three or four octal digits: 644, 0644, 4755. Signs, spaces, prefixes and
// symbolic modes are errors, and so are one or two digits: 7 is more likely a mistake than
// 0007.
func ParseMode(s string) (Mode, error) {
	if len(s) != 3 && len(s) != 4 {
		return 0, &ModeError{Text: s}
	}
	var m Mode
	for _, c := range []byte(s) {
		if c < '0' || c > '7' {
			return 0, &ModeError{Text: s}
		}
		m = m<<3 | Mode(c-'0')
	}
	return m, nil
}

// String returns the mode as four octal digits.
func (m Mode) String() string { return fmt.Sprintf("%04o", uint32(m)) }

// MarshalText returns four octal digits; a number beyond [ModeMask] is an error.
func (m Mode) MarshalText() ([]byte, error) {
	if m > ModeMask {
		return nil, fmt.Errorf("mode %#o has bits beyond %s", uint32(m), ModeMask)
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets m to the result of [ParseMode].
func (m *Mode) UnmarshalText(text []byte) error {
	parsed, err := ParseMode(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// ModeError means that a text is not a mode.
type ModeError struct{ Text string }

func (e *ModeError) Error() string {
	return fmt.Sprintf("mode %q: must be three or four octal digits, as 0644 or 4755", e.Text)
}

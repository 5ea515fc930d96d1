package address

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
)

// Path is the absolute, clean path of an object on a host.
type Path string

// MarshalText implements [encoding.TextMarshaler].
func (p Path) MarshalText() ([]byte, error) { return []byte(p), nil }

// Limits of POSIX hosts, in bytes. Without them, a path that is too long would cause an
// error only after the object that is replaced was deleted. The limit of directories leaves space
// for the name of a temporary file, which can be longer than that of the object.
const (
	maxName      = 255
	maxPath      = 4095
	maxDirectory = maxPath - 1 - maxName
)

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns an error for a path that
// [host.CheckTarget] rejects, that is too long, or that Terraform would change, because the
// strings of Terraform are UTF-8 in normalisation form C.
func (p *Path) UnmarshalText(text []byte) error {
	path := string(text)
	if err := host.CheckTarget(path); err != nil {
		return err
	}
	if err := checkText(path); err != nil {
		return err
	}
	if strings.LastIndexByte(path, '/') > maxDirectory {
		return fmt.Errorf("the directory of the path is longer than %d bytes", maxDirectory)
	}
	*p = Path(path)
	return nil
}

// CheckDirectory returns an error for a path that cannot be the path of a directory, or that
// a Terraform string cannot contain.
func CheckDirectory(path string) error {
	return cmp.Or(host.CheckPath(path), checkText(path))
}

// checkText returns an error for a path that is too long or that a Terraform string
// cannot contain.
func checkText(path string) error {
	if !IsText(path) {
		return fmt.Errorf("path %+q is not UTF-8 in normalisation form C (NFC), which Terraform requires for strings. Rename the file", path)
	}
	if len(path) > maxPath {
		return fmt.Errorf("the path is longer than %d bytes", maxPath)
	}
	for name := range strings.SplitSeq(path, "/") {
		if len(name) > maxName {
			return fmt.Errorf("the path has a name of %d bytes; hosts support up to %d", len(name), maxName)
		}
	}
	return nil
}

// String returns the path for a message, quoted if necessary.
func (p Path) String() string { return host.QuotePath(string(p)) }

// IsText reports whether Terraform stores a text unchanged, because it is UTF-8 in
// normalisation form C.
func IsText(text string) bool { return utf8.ValidString(text) && cty.NormalizeString(text) == text }

// Shown returns a text from a host in the form for the state. It quotes a text that Terraform
// would change, so that the state differs from the configured text. The form is ambiguous: a host
// may also have the quoted form as its text. No other form is unique either, because the
// configuration may have any text that Terraform stores unchanged.
func Shown(text string) string {
	if !IsText(text) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

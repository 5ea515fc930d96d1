package address

import (
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// Path is where something is or is to be made on a host: absolute, in its one
// clean spelling.
type Path string

// MarshalText is the path as it is.
func (p Path) MarshalText() ([]byte, error) { return []byte(p), nil }

// What every POSIX host of today takes: longer ones fail at best when they are
// written, after what they replace was deleted. A temporary file beside what is
// written may have a longer name than that, so it is the directory that counts.
const (
	maxName      = 255
	maxPath      = 4095
	maxDirectory = maxPath - 1 - maxName
)

// UnmarshalText refuses what [host.CheckTarget] refuses, and names that would
// become others on their way through configuration and state, where all text is
// UTF-8 in normalisation form C.
func (p *Path) UnmarshalText(text []byte) error {
	path := string(text)
	if err := host.CheckTarget(path); err != nil {
		return err
	}
	if err := nameable(path); err != nil {
		return err
	}
	if strings.LastIndexByte(path, '/') > maxDirectory {
		return fmt.Errorf("the directories of the path are longer than %d bytes", maxDirectory)
	}
	*p = Path(path)
	return nil
}

// CheckDirectory refuses a path that no directory can have, or that configuration
// can not name.
func CheckDirectory(path string) error {
	if err := host.CheckPath(path); err != nil {
		return err
	}
	return nameable(path)
}

// nameable says whether a path can be had and named.
func nameable(path string) error {
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

// String is the path as a message shows it.
func (p Path) String() string { return host.QuotePath(string(p)) }

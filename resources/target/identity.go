package target

import (
	"errors"
	"strings"
)

// Identity tells one object from another.
type Identity struct {
	// The name of the host. For import it can be left out; it is then the
	// provider's default host.
	Host *string
	// The absolute path on the host.
	Path Path
}

// ParseImportID reads an import id: the path, or host:path.
func ParseImportID(id string) (Identity, error) {
	var identity Identity
	path := id
	if !strings.HasPrefix(id, "/") {
		// A host has no slash in its name, and a path begins with one.
		name, rest, ok := strings.Cut(id, ":/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return identity, errors.New("write the absolute path, as /etc/motd, or the host and the path, as local:/etc/motd")
		}
		identity.Host, path = &name, "/"+rest
	}
	err := identity.Path.UnmarshalText([]byte(path))
	return identity, err
}

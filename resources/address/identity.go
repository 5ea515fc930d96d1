package address

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Identity identifies an object by its host and path.
type Identity struct {
	// Host of the object: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Absolute path on the host.
	Path Path
}

// ParseImportID parses an import ID: the path, or host:path. Any other ID is an error.
func ParseImportID(id string) (Identity, error) {
	var identity Identity
	path := id
	if !strings.HasPrefix(id, "/") {
		// The name of a host has no slash, and a path starts with one.
		name, rest, ok := strings.Cut(id, ":/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return identity, errors.New("use the absolute path, such as /etc/motd, or the host and the path, such as local:/etc/motd or root@192.0.2.7:22:/etc/motd")
		}
		if err := CheckHost(name); err != nil {
			return identity, err
		}
		identity.Host, path = &name, "/"+rest
	}
	err := identity.Path.UnmarshalText([]byte(path))
	return identity, err
}

// Named identifies an object by its host and name, for objects without a path, such
// as users.
type Named struct {
	// Host of the object: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Name of the object on the host.
	Name string
}

// ParseNamed parses an import ID: the name, or host:name. Names contain no colon; check
// returns an error for an invalid name.
func ParseNamed(id string, check func(name string) error) (Named, error) {
	var identity Named
	identity.Name = id
	if i := strings.LastIndexByte(id, ':'); i >= 0 {
		name := id[:i]
		if err := CheckHost(name); err != nil {
			return identity, err
		}
		identity.Host, identity.Name = &name, id[i+1:]
	}
	if identity.Name == "" {
		return identity, errors.New("use the name, or the host and the name, such as local:name or root@192.0.2.7:22:name")
	}
	return identity, check(identity.Name)
}

// NamePatternRule returns the constraint on the attribute name_pattern of list
// resources.
func NamePatternRule() runtime.Constraint {
	return runtime.Check("name_pattern", "", func(text string) error {
		if _, err := regexp.Compile(whole(text)); err != nil {
			return fmt.Errorf("must be a regular expression, such as nginx|php.*: %w", err)
		}
		return nil
	})
}

// whole returns the pattern anchored at both ends.
func whole(pattern string) string { return "^(?:" + pattern + ")$" }

// NamePattern returns a function that reports whether the pattern, which must be valid, matches
// the whole name. If pattern is nil, all names match.
func NamePattern(pattern *string) func(name string) bool {
	if pattern == nil {
		return func(string) bool { return true }
	}
	return regexp.MustCompile(whole(*pattern)).MatchString
}

package address

import (
	"errors"
	"strings"
)

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

// ParseNamed parses an import id: the name, or host:name. Names have no colon; check
// returns an error for one that is not valid otherwise.
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

package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Name is the name of a service. The suffix .service is optional.
type Name string

// MarshalText implements [encoding.TextMarshaler].
func (n Name) MarshalText() ([]byte, error) { return []byte(n), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *Name) UnmarshalText(text []byte) error {
	if err := checkName(string(text)); err != nil {
		return err
	}
	*n = Name(text)
	return nil
}

// suffix is the default suffix of units.
const suffix = ".service"

// unitTypes are the types of units that can be started, which are the suffixes of their
// names.
var unitTypes = []string{"service", "socket", "timer", "path", "target", "mount", "automount", "swap", "slice"}

// maxUnit is the maximum length of the name of a unit.
const maxUnit = 255

func checkName(name string) error {
	switch bare := strings.TrimSuffix(name, suffix); {
	case bare == "":
		return errors.New("the name must not be empty")
	case len(Name(name).unit()) > maxUnit:
		return fmt.Errorf("the name of the unit is longer than %d characters, the limit for units", maxUnit)
	case strings.HasSuffix(stem(name), "@"):
		return errors.New("this is a template: use the name of an instance, such as getty@tty1")
	}
	return checkCharacters(name)
}

// checkCharacters returns an error unless name has only characters that names of systemd units or
// OpenRC scripts can have, and starts with neither a dot nor a dash. Names with a colon belong to
// devices and are not supported.
func checkCharacters(name string) error {
	switch {
	case strings.HasPrefix(name, "-") || strings.HasPrefix(name, "."):
		return errors.New("a name must not start with a dot or a dash")
	case strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(`-_.@\+`, c)
	}):
		return errors.New(`a name must consist of ASCII letters and digits, dashes, underscores, dots, @, + and \, such as nginx, getty@tty1 or fstrim.timer`)
	}
	return nil
}

// unitType returns the type of a unit, or an empty string if the name does not end with a type.
func unitType(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 && slices.Contains(unitTypes, name[i+1:]) {
		return name[i+1:]
	}
	return ""
}

// stem returns name without the type.
func stem(name string) string {
	if kind := unitType(name); kind != "" {
		return strings.TrimSuffix(name, "."+kind)
	}
	return name
}

// unit returns the name of the unit, with its type.
func (n Name) unit() string {
	if unitType(string(n)) == "" {
		return string(n) + suffix
	}
	return string(n)
}

// template returns the name of the template of an instance, or unit itself if it is not an instance.
func template(unit string) string {
	before, _, instance := strings.Cut(unit, "@")
	if !instance {
		return unit
	}
	return before + "@." + unitType(unit)
}

// short returns the canonical name: without .service, unless the rest would end with
// a type.
func (n Name) short() string {
	if bare := strings.TrimSuffix(string(n), suffix); unitType(bare) == "" {
		return bare
	}
	return string(n)
}

// key returns the key that identifies the service on its host.
func (n Name) key() lifecycle.Key { return lifecycle.NameKey("service", n.short()) }

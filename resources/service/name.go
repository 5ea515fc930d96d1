package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Name is the name of a service as people write it: nginx and nginx.service are
// the same.
type Name string

// MarshalText is the name as it is.
func (n Name) MarshalText() ([]byte, error) { return []byte(n), nil }

// UnmarshalText refuses what no service can be called.
func (n *Name) UnmarshalText(text []byte) error {
	if err := checkName(string(text)); err != nil {
		return err
	}
	*n = Name(text)
	return nil
}

// suffix is what systemd takes a name without one to end with.
const suffix = ".service"

// unitTypes are the kinds of units that can be started, by the endings of their
// names.
var unitTypes = []string{"service", "socket", "timer", "path", "target", "mount", "automount", "swap", "slice"}

// maxUnit is how long the name of a unit can be.
const maxUnit = 255

func checkName(name string) error {
	switch bare := strings.TrimSuffix(name, suffix); {
	case bare == "":
		return errors.New("the name of a service is not empty")
	case len(name)+len(suffix) > maxUnit:
		return fmt.Errorf("the name is longer than the %d characters that a unit can have", maxUnit)
	case strings.HasSuffix(stem(name), "@"):
		return errors.New("this is a template, of which each instance is a service: write the name of one, as getty@tty1")
	}
	return checkCharacters(name)
}

// checkCharacters accepts names of units of systemd and of scripts of OpenRC, but
// for those with a colon, which are all of devices.
func checkCharacters(name string) error {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") {
		return errors.New("a name begins with neither a hyphen nor a dot")
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(`-_.@\+`, c) < 0 {
			return errors.New(`a name has letters and digits of ASCII, hyphens, underscores, dots, @ and \, as nginx, getty@tty1 or fstrim.timer`)
		}
	}
	return nil
}

// unitType is the ending of a name, if that is one of a unit.
func unitType(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 && slices.Contains(unitTypes, name[i+1:]) {
		return name[i+1:]
	}
	return ""
}

// stem is a name without its ending.
func stem(name string) string {
	if kind := unitType(name); kind != "" {
		return strings.TrimSuffix(name, "."+kind)
	}
	return name
}

// unit is the whole name that systemd has for it.
func (n Name) unit() string {
	if unitType(string(n)) == "" {
		return string(n) + suffix
	}
	return string(n)
}

// short is the one spelling by which services are told apart: without the ending of
// services, where it is not needed.
func (n Name) short() string {
	if bare := strings.TrimSuffix(string(n), suffix); unitType(bare) == "" {
		return bare
	}
	return string(n)
}

// place is where hosts remember the service.
func (n Name) place() address.Path { return lifecycle.NameKey("service", n.short()) }

package address

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Destination is a host given by its address.
type Destination struct {
	User    string // empty if it is not given
	Address string // host name, alias from the SSH configuration, or IP address
	Port    int    // 0 if it is not given
}

var (
	// hostName matches keys of the provider's hosts. These do not contain characters that
	// have a meaning in a destination.
	hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)
	// userName matches the user names of destinations, including those of directory
	// services, which may have domains.
	userName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.@$+=\\-]*$`)
)

// CheckName returns an error for an invalid key of the provider's hosts.
func CheckName(name string) error {
	switch {
	case name == host.LocalName:
		return fmt.Errorf("%s is the host that the provider runs on and needs no configuration. Choose another name", host.LocalName)
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d bytes", maxName)
	case !hostName.MatchString(name):
		return errors.New("a host name consists of letters, digits, dots, dashes and underscores, and must not start with a dot or a dash")
	}
	return nil
}

// CheckHost returns an error if text is not valid for the attribute host: it must be local, a key
// of the provider's hosts, an alias from the SSH configuration, or a destination.
func CheckHost(text string) error {
	if text == host.LocalName {
		return nil
	}
	_, err := ParseDestination(text)
	return err
}

// HostRule returns the constraint on the attribute host, which every resource has.
func HostRule() runtime.Constraint { return runtime.Check("host", "", CheckHost) }

// ParseDestination parses address, user@address, address:port or user@address:port. An
// IPv6 address must be in brackets. Any other text is an error.
func ParseDestination(text string) (Destination, error) {
	var d Destination
	rest := text
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		d.User, rest = text[:i], text[i+1:]
		switch {
		case strings.Contains(d.User, ":"): // what follows may be a password
			return d, errors.New("the user name must not contain a colon: schemes and passwords are not supported")
		case !userName.MatchString(d.User):
			return d, fmt.Errorf("%q is not a valid user name", d.User)
		}
	}
	address, port, err := splitPort(rest)
	if err != nil {
		return d, err
	}
	d.Address, d.Port = address, port
	if ip, err := netip.ParseAddr(address); err == nil && (ip.Zone() == "" || hostName.MatchString(ip.Zone())) {
		if ip.Is6() && rest[0] != '[' {
			return d, fmt.Errorf("an IPv6 address must be in brackets: [%s]", address)
		}
		return d, nil
	}
	if rest[0] == '[' {
		return d, fmt.Errorf("%q is not an IP address; only IP addresses can be in brackets", address)
	}
	if len(address) > maxName || !hostName.MatchString(address) {
		return d, fmt.Errorf("%q is not a valid host name or address. Use the name of a host, or user@address:port", text)
	}
	return d, nil
}

// splitPort splits a port, if any, from an address, and removes brackets.
func splitPort(text string) (address string, port int, err error) {
	if bare, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(bare, "]") {
		return bare[:len(bare)-1], 0, nil
	}
	switch {
	case text == "":
		return "", 0, errors.New("the address is empty")
	case strings.Count(text, ":") > 1 && text[0] != '[':
		return text, 0, nil // an IPv6 address without brackets
	case !strings.Contains(text, ":"):
		return text, 0, nil
	}
	address, digits, err := net.SplitHostPort(text)
	if err != nil || address == "" {
		return "", 0, fmt.Errorf("%q is not a valid address with a port", text)
	}
	number, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || number == 0 || digits[0] == '0' || digits[0] == '+' {
		return "", 0, fmt.Errorf("the port of %q is not a number from 1 to 65535", text)
	}
	return address, int(number), nil
}

// Bare reports whether the destination is only an address, which can also be a key or an
// alias.
func (d Destination) Bare() bool { return d.User == "" && d.Port == 0 }

// accountName matches the names of users on a host, including those of directory
// services, which may have domains.
var accountName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@\\-]*\$?$`)

// IsUserName reports whether name can be the name of a user on a host, including users that posix_user
// cannot manage.
func IsUserName(name string) bool { return len(name) <= 64 && accountName.MatchString(name) }

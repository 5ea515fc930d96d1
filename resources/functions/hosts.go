package functions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// HostsFile encodes addresses and host names as lines of `/etc/hosts`.
//
// The value of a key that is an address is the name or the list of names of a host,
// with the canonical name first. The value of a key that is a name is the address or
// the list of addresses of the host. One map can have both kinds of keys. Each
// address is written on one line: first the names given for the address, then the keys
// with this address in sorted order. Duplicate names are left out. Loopback addresses
// are written first, then IPv4 and IPv6 addresses in numeric order. A key with a null
// value or an empty list is left out.
//
// Addresses are written in their short form. Names consist of labels of letters,
// digits, dashes and underscores, separated by dots; write international names in
// their `xn--` form.
//
//   - hosts: Names by address, or addresses by name. Must not be null.
func HostsFile(hosts cty.Value) (string, error) {
	lines, err := hostLines(hosts)
	if err != nil {
		return "", runtime.ArgumentError(0, err)
	}
	slices.SortFunc(lines, func(a, b *hostLine) int { return compareAddresses(a.address, b.address) })
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.address.String() + "\t" + strings.Join(line.names, " ") + "\n")
	}
	return b.String(), nil
}

// hostLine is a line of the file.
type hostLine struct {
	address netip.Addr
	names   []string
}

func hostLines(hosts cty.Value) ([]*hostLine, error) {
	if !isObject(hosts) {
		return nil, errors.New("hosts must be a map of names by address or of addresses by name")
	}
	var lines []*hostLine
	byAddress := map[netip.Addr]*hostLine{}
	add := func(address netip.Addr, name string) {
		line := byAddress[address]
		if line == nil {
			line = &hostLine{address: address}
			byAddress[address], lines = line, append(lines, line)
		}
		if !slices.ContainsFunc(line.names, func(n string) bool { return strings.EqualFold(n, name) }) {
			line.names = append(line.names, name)
		}
	}
	byKey := hosts.AsValueMap()
	for _, key := range slices.SortedFunc(maps.Keys(byKey), addressesFirst) {
		texts, err := elements(byKey[key])
		if err != nil {
			return nil, fmt.Errorf("the key %q: %w", key, err)
		}
		keyAddress, addressErr := parseAddress(key)
		if addressErr != nil {
			if err := checkHostName(key); err != nil {
				return nil, fmt.Errorf("the key %q is not an address, and as a name it %w", key, err)
			}
		}
		for i, text := range texts {
			address, name := keyAddress, text
			if addressErr == nil {
				err = checkHostName(name)
			} else {
				name = key
				address, err = parseAddress(text)
				if err != nil {
					err = errors.New("is not an IPv4 or IPv6 address, as required for a key that is a name")
				}
			}
			if err != nil {
				return nil, fmt.Errorf("the key %q: value %d %w", key, i+1, err)
			}
			add(address, name)
		}
	}
	return lines, nil
}

// parseAddress parses an address. The zone of an IPv6 address must have only
// characters that isPlain accepts.
func parseAddress(text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if err == nil && slices.ContainsFunc([]byte(address.Zone()), func(c byte) bool { return !isPlain(c) }) {
		err = errors.New("the zone is not a valid interface name")
	}
	return address, err
}

// addressesFirst orders addresses before names, so that the names given for an address
// come first on its line.
func addressesFirst(a, b string) int {
	x, errX := parseAddress(a)
	y, errY := parseAddress(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Or(x.Compare(y), cmp.Compare(a, b))
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

func compareAddresses(a, b netip.Addr) int {
	if a.IsLoopback() != b.IsLoopback() {
		if a.IsLoopback() {
			return -1
		}
		return 1
	}
	return a.Compare(b)
}

// checkHostName returns an error for an invalid name in a hosts file. The text of the error
// continues a sentence about the name, and does not contain the name: an argument may be sensitive.
// The rules of posix_hostname are different: a name has no underscores and at most 64 characters, but
// its last label can be a number.
func checkHostName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case len(name) > 253:
		return errors.New("has more than 253 characters")
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		switch {
		case label == "":
			return errors.New("has an empty label: a dot at one end, or two dots in a row")
		case len(label) > 63:
			return errors.New("has a label of more than 63 characters")
		case label[0] == '-' || label[len(label)-1] == '-':
			return errors.New("has a label that begins or ends with a dash")
		case slices.ContainsFunc([]byte(label), func(c byte) bool { return !isLetter(c) && !isDigit(c) && c != '-' && c != '_' }):
			return errors.New("has a character other than letters from a to z, digits, dashes, underscores and dots; use a list for several names")
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" {
		return errors.New("ends with a number, which is only allowed in addresses")
	}
	return nil
}

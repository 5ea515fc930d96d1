package zone

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [functions

// Reverse returns the name for the reverse lookup of an address.
//
//   - address: The IPv4 address.
func Reverse(address netip.Addr) (string, error) {
	if !address.Is4() {
		return "", runtime.ArgumentError("address", errors.New("only IPv4 addresses are supported"))
	}
	parts := strings.Split(address.String(), ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + ".in-addr.arpa", nil
}

// Name joins labels into a name.
//
//   - origin: The zone, or null for a name without it.
//   - labels: The labels, from the left.
func Name(origin *string, labels ...string) string {
	if origin != nil {
		labels = append(slices.Clip(labels), *origin)
	}
	return strings.Join(labels, ".")
}

// functions]

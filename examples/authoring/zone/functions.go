package zone

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [functions

// Reverse gives the name under which the owner of an address is found.
//
//   - address: The address, of version 4.
func Reverse(address netip.Addr) (string, error) {
	if !address.Is4() {
		return "", runtime.ArgumentError("address", errors.New("only version 4 is supported"))
	}
	parts := strings.Split(address.String(), ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + ".in-addr.arpa", nil
}

// Name puts labels together.
//
//   - origin: The zone; null leaves it out.
//   - labels: The labels, from the left.
func Name(origin *string, labels ...string) string {
	if origin != nil {
		labels = append(slices.Clip(labels), *origin)
	}
	return strings.Join(labels, ".")
}

// functions]

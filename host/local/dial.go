//go:build unix && !aix && !solaris

package local

import (
	"context"
	"net"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Dialer = (*Host)(nil)

// DialHost implements [host.Dialer].
func (h *Host) DialHost(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if wrapped, ok := err.(*net.OpError); ok { //nolint:errorlint // the wrapper alone is taken off
		err = wrapped.Err // omits the network and address, which are repeated elsewhere
	}
	if err != nil {
		return nil, host.DialError(h, network, address, cause(err))
	}
	return conn, nil
}

package process

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Attach connects to a running provider and returns its protocol version. The
// caller must close the connection, which does not end the process. A provider
// that cannot be reached causes an error of the first call, not of Attach.
//
// Attach does not use the client of go-plugin, which waits for the end of such
// a process without a way to stop waiting.
func Attach(to *plugin.ReattachConfig) (*grpc.ClientConn, int, error) {
	version := to.ProtocolVersion
	if version == 0 {
		version = 5 // servers of protocol 5 may omit it
	}
	switch {
	case to.Addr == nil:
		return nil, 0, errors.New("attach to a provider: no network address")
	case to.Protocol != plugin.ProtocolGRPC:
		return nil, 0, fmt.Errorf("attach to the provider at %s: unsupported protocol %q, expected gRPC", to.Addr, to.Protocol)
	case version != 5 && version != 6:
		return nil, 0, fmt.Errorf("attach to the provider at %s: unsupported protocol %d, expected 5 or 6", to.Addr, version)
	}
	var dialer net.Dialer
	conn, err := grpc.NewClient("passthrough:///provider",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, to.Addr.Network(), to.Addr.String())
		}))
	if err != nil {
		return nil, 0, fmt.Errorf("attach to the provider at %s: %w", to.Addr, err)
	}
	return conn, version, nil
}

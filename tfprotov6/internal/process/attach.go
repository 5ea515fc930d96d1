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

// Attach connects to a provider that runs already, and gives the version of the
// protocol that it speaks. Its process belongs to whoever started it: to close
// the connection is all there is to do in the end. Whether the provider is there
// shows with the first call.
//
// go-plugin's own client is not used: for a process that it may not end, it
// waits for the end without a way to stop.
func Attach(to *plugin.ReattachConfig) (*grpc.ClientConn, int, error) {
	version := to.ProtocolVersion
	if version == 0 {
		version = 5 // servers of that protocol were late to say it
	}
	switch {
	case to.Addr == nil:
		return nil, 0, errors.New("attach to a provider: it has no address")
	case to.Protocol != plugin.ProtocolGRPC:
		return nil, 0, fmt.Errorf("attach to the provider at %s: it does not speak gRPC but %q", to.Addr, to.Protocol)
	case version != 5 && version != 6:
		return nil, 0, fmt.Errorf("attach to the provider at %s: it speaks protocol %d; this client speaks 5 and 6", to.Addr, version)
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

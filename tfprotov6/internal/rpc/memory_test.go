package rpc_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// TestMain disables the logs of the servers.
func TestMain(m *testing.M) {
	if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off")); err != nil {
		panic(err)
	}
	m.Run()
}

// memory has the last request of a fake, and the response and the error that the fake returns.
type memory struct {
	asked  any
	answer any
	err    error
	during func(ctx context.Context)
}

func reply[Answer any](ctx context.Context, m *memory, req any) (*Answer, error) {
	m.asked = flat(req)
	if m.during != nil {
		m.during(ctx)
	}
	answer, ok := m.answer.(*Answer)
	if !ok {
		answer = new(Answer)
	}
	return answer, m.err
}

// serve starts the servers of terraform-plugin-go for the arguments that are not nil, and connects
// to them.
func serve(tb testing.TB, f6 tfplugin.ProviderServer, f5 tfprotov5.ProviderServer) *grpc.ClientConn {
	tb.Helper()
	server := grpc.NewServer(grpc.MaxRecvMsgSize(256<<20), grpc.MaxSendMsgSize(256<<20)) // the limits of tf6server.Serve
	p6 := tf6server.GRPCProviderPlugin{Name: "test", GRPCProvider: func() tfplugin.ProviderServer { return f6 }}
	p5 := tf5server.GRPCProviderPlugin{Name: "test", GRPCProvider: func() tfprotov5.ProviderServer { return f5 }}
	if f6 != nil {
		if err := p6.GRPCServer(nil, server); err != nil {
			tb.Fatal(err)
		}
	}
	if f5 != nil {
		if err := p5.GRPCServer(nil, server); err != nil {
			tb.Fatal(err)
		}
	}
	return connect(tb, server)
}

func connect(tb testing.TB, server *grpc.Server) *grpc.ClientConn {
	tb.Helper()
	listener := bufconn.Listen(1 << 20)
	go func() { _ = server.Serve(listener) }()
	tb.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///test",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// dial6 returns a client that is connected to a server of f.
func dial6(tb testing.TB, f *fake6) tfplugin.ProviderServer {
	tb.Helper()
	p, err := rpc.Provider6(rpc.Conn{GRPC: serve(tb, f, nil)})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

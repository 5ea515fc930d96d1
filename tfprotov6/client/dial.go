package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/process"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// DialConfig describes the provider that [Dial] starts (Path) or attaches to
// (Reattach).
type DialConfig struct {
	// Path is the provider's executable. A name without a slash is looked up in
	// PATH.
	Path string
	// Args are the arguments of the program. Providers need none.
	Args []string
	// Env is the environment of the program, to which the variables of the
	// handshake are added. Nil is the environment of this process.
	Env []string
	// Dir is the working directory of the program. Empty is that of this process.
	Dir string
	// StartTimeout limits the time until the program serves. 0 is one minute.
	StartTimeout time.Duration
	// Output receives the program's standard error, including its log, and, once it serves, its
	// standard output: each call of Write gets one line. After Close, Write is not called. Output may
	// be nil. If the program crashes, the error contains the last lines, or the first ones of a panic,
	// in any case.
	Output io.Writer

	// Reattach is a running provider, for example one under a debugger; package
	// reattach reads it from TF_REATTACH_PROVIDERS. If it is set, Path must be empty, and
	// the other fields are ignored.
	Reattach *plugin.ReattachConfig
}

// Remote is a provider in another process.
type Remote struct {
	provider.Interface
	server  tfplugin.ProviderServer
	version int
	close   func() error
}

// Dial starts the program of a provider, or attaches to a running one, and
// returns a provider that passes every request to it, as Terraform does. A
// started program and this process authenticate each other with certificates
// created for this connection (mutual TLS); the connection to a running provider
// is not authenticated.
//
// Dial supports protocols 6 and 5. Requests that protocol 5 does not have get
// the response of an old provider of protocol 6.
//
// The context limits the start and the request for the schemas; see [New]. Dial
// returns an error if config is invalid, the provider does not serve, or the
// schemas cannot be requested. The caller must call Close, even after a crash. If
// the program crashes, RPCs without a response return an error with the last
// lines of output, or the first ones of a panic. These lines may contain secrets.
func Dial(ctx context.Context, config DialConfig) (*Remote, error) {
	var remote *Remote
	var conn rpc.Conn
	switch {
	case config.Path == "" && config.Reattach == nil:
		return nil, errors.New("dial a provider: neither Path nor Reattach is set")
	case config.Path != "" && config.Reattach != nil:
		return nil, errors.New("dial a provider: Path and Reattach are both set")
	case config.Reattach != nil:
		attached, version, err := process.Attach(config.Reattach)
		if err != nil {
			return nil, err
		}
		remote = &Remote{version: version, close: sync.OnceValue(attached.Close)}
		conn = rpc.Conn{GRPC: attached}
	default:
		started, err := process.Start(ctx, process.Program{
			Path:         config.Path,
			Args:         config.Args,
			Env:          config.Env,
			Dir:          config.Dir,
			StartTimeout: config.StartTimeout,
			Output:       config.Output,
		})
		if err != nil {
			return nil, err
		}
		remote = &Remote{version: started.Version(), close: func() error { started.Close(); return nil }}
		conn = rpc.Conn{GRPC: started.Conn(), Lost: started.Lost}
	}
	if err := remote.connect(ctx, conn); err != nil {
		name := config.Path
		if config.Reattach != nil {
			name = config.Reattach.Addr.String()
		}
		return nil, errors.Join(fmt.Errorf("dial the provider %s: %w", name, err), remote.Close())
	}
	return remote, nil
}

func (r *Remote) connect(ctx context.Context, conn rpc.Conn) (err error) {
	if r.server, err = rpc.Provider(ctx, conn, r.version); err != nil {
		return err
	}
	r.Interface, err = newClient(ctx, r.server)
	return err
}

// Close ends the process and waits for its end. A process that does not end on
// request is killed after a few seconds. A provider that Dial attached to keeps
// running; for it, Close returns the error of closing the connection. Close may be
// called again.
func (r *Remote) Close() error { return r.close() }

// Server returns the provider as a protocol server, for requests that
// provider.Interface does not have. It must not be used after Close.
func (r *Remote) Server() tfplugin.ProviderServer { return r.server }

// ProtocolVersion returns the protocol version of the connection, 5 or 6.
func (r *Remote) ProtocolVersion() int { return r.version }

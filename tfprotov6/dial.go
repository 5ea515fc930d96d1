package tfprotov6

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

// DialConfig says which provider to dial: one that [Dial] starts (Path), or one
// that runs already (Reattach).
type DialConfig struct {
	// Path is the provider's program. A name without a slash is looked for as the
	// shell does.
	Path string
	// Args are the program's arguments. Providers need none.
	Args []string
	// Env is the program's environment; nil is that of this process. What the
	// handshake needs is added.
	Env []string
	// Dir is where the program starts; empty is here.
	Dir string
	// StartTimeout is how long the program has until it serves; 0 is a minute.
	StartTimeout time.Duration
	// Output gets what the program writes on its standard output and error, its
	// log with it: lines, one with each call, none after Close. Nil is nobody. The
	// last lines are in the error in any case when the program crashes.
	Output io.Writer

	// Reattach is a provider that was started by someone else, under a debugger
	// for example: [ReattachProviders] reads how these are described. No other
	// field is looked at.
	Reattach *plugin.ReattachConfig
}

// Remote is a provider in another process.
type Remote struct {
	provider.Interface
	server  tfplugin.ProviderServer
	version int
	close   func() error
}

// Dial starts a provider's program, or attaches to one that runs, and is a
// provider that passes all it is asked to it, as Terraform would. The two have
// certificates for each other alone (mutual TLS), as long as the process lives;
// one that was attached to has none.
//
// Protocols 6 and 5 are spoken. What a provider of protocol 5 does not have is
// answered as an old provider of protocol 6 would.
//
// The context is for the start and for the first question, which is for the
// schemas; see [NewClient] for what else that decides. Close has to be called in
// the end, also after a crash. A crash is told by the RPC that had no answer,
// with the last lines that the program wrote, which may have anything in them.
func Dial(ctx context.Context, config DialConfig) (*Remote, error) {
	var remote *Remote
	var conn rpc.Conn
	switch {
	case config.Path == "" && config.Reattach == nil:
		return nil, errors.New("dial a provider: there is neither a program to start nor one that runs")
	case config.Path != "" && config.Reattach != nil:
		return nil, errors.New("dial a provider: there is a program to start and one that runs; only one can be meant")
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
	if err := remote.ask(ctx, conn); err != nil {
		name := config.Path
		if config.Reattach != nil {
			name = config.Reattach.Addr.String()
		}
		return nil, errors.Join(fmt.Errorf("dial the provider %s: %w", name, err), remote.Close())
	}
	return remote, nil
}

func (r *Remote) ask(ctx context.Context, conn rpc.Conn) (err error) {
	if r.server, err = rpc.Provider(ctx, conn, r.version); err != nil {
		return err
	}
	r.Interface, err = newClient(ctx, r.server)
	return err
}

// Close ends the process and waits until it is gone; one that does not end when
// it is asked to is killed after a few seconds. A provider that was attached to
// goes on, without us. It can be called again.
func (r *Remote) Close() error { return r.close() }

// Server is the provider in the protocol's own words, for what
// provider.Interface does not have. It ends with Close.
func (r *Remote) Server() tfplugin.ProviderServer { return r.server }

// ProtocolVersion is the version that both sides speak, 5 or 6.
func (r *Remote) ProtocolVersion() int { return r.version }

package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The environment variable that a provider's program requires before it serves. Both sides
// must agree on it.
const (
	cookieKey   = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

const (
	defaultStart = time.Minute
	// closeTime is the time after which Close kills a program. go-plugin kills it
	// earlier if it has acknowledged the request to end and is still running two seconds later.
	closeTime = 5 * time.Second
	// lostTime limits the wait for the end and the last output of a process whose
	// connection broke.
	lostTime = time.Second
)

// Program is a program to start.
type Program struct {
	Path         string
	Args         []string
	Env          []string // nil: that of this process
	Dir          string
	StartTimeout time.Duration // 0: a minute
	Output       io.Writer     // receives one line with each call; may be nil
}

// Process is a running program that this process started.
type Process struct {
	client  *plugin.Client
	program *program
	output  *output
	conn    *grpc.ClientConn
}

// Start starts a program and waits until it serves. It returns an error if the
// program does not serve in time. The context limits the start; the process then
// runs until [Process.Close].
func Start(ctx context.Context, what Program) (*Process, error) {
	what.StartTimeout = cmp.Or(what.StartTimeout, defaultStart)
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, kill)
	defer stop()

	p := &Process{output: &output{to: what.Output}}
	var tempDir string
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{
			5: {pluginName: connection{}},
			6: {pluginName: connection{}},
		},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     what.StartTimeout,
		Logger:           hclog.NewNullLogger(),
		Stderr:           p.output.writer(),
		SyncStdout:       p.output.writer(),
		SyncStderr:       p.output.writer(),
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, temp string) (runner.Runner, error) {
			tempDir = temp
			cmd := exec.CommandContext(life, what.Path, what.Args...)
			cmd.Dir, cmd.Env = what.Dir, what.Env
			if cmd.Env == nil {
				cmd.Env = os.Environ()
			}
			cmd.Env = append(slices.Clip(cmd.Env), spec.Env...)
			p.program = newProgram(cmd, kill)
			return p.program, nil
		},
	})
	began := time.Now()
	err := p.connect()
	if err == nil && stop() {
		return p, nil
	}
	late := time.Since(began) >= what.StartTimeout
	p.Close()
	if tempDir != "" {
		err = errors.Join(err, os.RemoveAll(tempDir))
	}
	kill()
	return nil, fmt.Errorf("start the provider %s: %w", what.Path, p.explain(ctx, late, what.StartTimeout, err))
}

func (p *Process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(pluginName)
	if err != nil {
		return err
	}
	conn, ok := raw.(*grpc.ClientConn)
	if !ok {
		return fmt.Errorf("expected a connection, got %T", raw)
	}
	p.conn = conn
	return nil
}

// explain returns the error of a program that did not serve. The process must have ended.
func (p *Process) explain(ctx context.Context, late bool, limit time.Duration, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w%s", context.Cause(ctx), p.output.quote())
	}
	if p.program == nil || p.program.ID() == "" {
		return err
	}
	line := p.program.first.String()
	parts := strings.Split(line, "|")
	switch {
	case line == "" && late:
		return fmt.Errorf("it did not print its address within %s%s", limit, p.output.quote())
	case line == "":
		return fmt.Errorf("it ended without printing its address: %s%s", p.program.end(), p.output.quote())
	case len(parts) < 4:
		return fmt.Errorf("not a provider: it printed %q instead of its address%s", truncate(line), p.output.quote())
	case parts[1] != "5" && parts[1] != "6":
		return fmt.Errorf("unsupported protocol %s, expected 5 or 6", truncate(parts[1]))
	case len(parts) < 5 || parts[4] != string(plugin.ProtocolGRPC):
		return errors.New("unsupported protocol, expected gRPC: the provider is older than protocol 5")
	}
	return fmt.Errorf("%w%s", err, p.output.quote())
}

// Conn returns the connection to the provider.
func (p *Process) Conn() grpc.ClientConnInterface { return p.conn }

// Version returns the protocol version of the connection.
func (p *Process) Version() int { return p.client.NegotiatedVersion() }

// Lost returns how the process ended. It waits up to lostTime for the end and the last
// output, because a connection breaks before the process ends, and returns "" if the
// wait times out or ctx is done.
func (p *Process) Lost(ctx context.Context) string {
	select {
	case <-p.program.over:
	case <-time.After(lostTime):
		return ""
	case <-ctx.Done():
		return ""
	}
	return fmt.Sprintf("the provider's process ended: %s%s", p.program.end(), p.output.quote())
}

// Close ends the process and waits for its end. It may be called again.
func (p *Process) Close() {
	if p.program != nil {
		hung := time.AfterFunc(closeTime, p.program.kill)
		defer hung.Stop()
	}
	p.client.Kill()
	if p.program != nil {
		p.program.kill()
		if p.program.ID() != "" {
			<-p.program.over
		}
	}
	p.output.close()
}

const pluginName = "provider"

// connection is a plugin of go-plugin that returns the gRPC connection.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

var _ plugin.GRPCPlugin = connection{}

// GRPCServer implements plugin.GRPCPlugin.
func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the connection has no server side")
}

// GRPCClient implements plugin.GRPCPlugin.
func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// Attach returns a connection to a running provider and its protocol version. It
// returns an error if the address is missing or the protocol is not supported. The
// caller must close the connection, which does not end the process. A provider
// that cannot be reached causes an error of the first call, not of Attach.
//
// Attach does not use the client of go-plugin, which waits for the end of a running
// provider without a way to stop waiting.
func Attach(to *plugin.ReattachConfig) (*grpc.ClientConn, int, error) {
	version := cmp.Or(to.ProtocolVersion, 5) // servers of protocol 5 may omit it
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

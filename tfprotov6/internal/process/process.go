package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
)

// What a provider's program looks for before it serves: both sides have to say
// the same.
const (
	cookieKey   = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

const (
	defaultStart = time.Minute
	// closeTime is how long a program has to answer that it will end. It has two
	// seconds more to do so.
	closeTime = 5 * time.Second
	// lostTime is how long an error waits for the end of a process that does not
	// answer any more: its last words are on the way.
	lostTime = time.Second
)

// Program is what to start.
type Program struct {
	Path         string
	Args         []string
	Env          []string // nil: that of this process
	Dir          string
	StartTimeout time.Duration // 0: a minute
	Output       io.Writer     // gets lines, one at a time; nil: nobody does
}

// Process is a provider's process that was started here.
type Process struct {
	client  *plugin.Client
	program *program
	output  *output
	conn    *grpc.ClientConn
}

// Start starts a program and waits until it serves. The context is for the
// start: after that the process lives until [Process.Close].
func Start(ctx context.Context, what Program) (*Process, error) {
	if what.StartTimeout == 0 {
		what.StartTimeout = defaultStart
	}
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, kill)
	defer stop()

	p := &Process{output: &output{to: what.Output}}
	var folder string
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
			folder = temp
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
	if folder != "" {
		err = errors.Join(err, os.RemoveAll(folder))
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
		return fmt.Errorf("there is no connection but %T", raw)
	}
	p.conn = conn
	return nil
}

// explain says why a program did not start. All of it is over.
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
		return fmt.Errorf("it did not say within %s where it serves%s", limit, p.output.quote())
	case line == "":
		return fmt.Errorf("it did not say where it serves, as a provider does: %s%s", p.program.end(), p.output.quote())
	case len(parts) < 4:
		return fmt.Errorf("it is no provider: it wrote %q where a provider says where it serves%s", shortened(line), p.output.quote())
	case parts[1] != "5" && parts[1] != "6":
		return fmt.Errorf("it speaks protocol %s; this client speaks 5 and 6", shortened(parts[1]))
	case len(parts) < 5 || parts[4] != string(plugin.ProtocolGRPC):
		return errors.New("it does not speak gRPC: it is of a time before protocol 5")
	}
	return fmt.Errorf("%w%s", err, p.output.quote())
}

// Conn carries calls to the provider.
func (p *Process) Conn() grpc.ClientConnInterface { return p.conn }

// Version is that of the protocol which both sides speak.
func (p *Process) Version() int { return p.client.NegotiatedVersion() }

// Lost says how the process ended. Where it has not it waits a moment, because
// a connection breaks before the process is gone, and then says nothing.
func (p *Process) Lost(ctx context.Context) string {
	late := time.NewTimer(lostTime)
	defer late.Stop()
	select {
	case <-p.program.over:
	case <-late.C:
		return ""
	case <-ctx.Done():
		return ""
	}
	return fmt.Sprintf("the provider's process ended: %s%s", p.program.end(), p.output.quote())
}

// Close ends the process and waits for that. It can be called again.
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

// connection is go-plugin's idea of a provider: all that is wanted of it is the
// connection.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

var _ plugin.GRPCPlugin = connection{}

// GRPCServer is part of plugin.GRPCPlugin.
func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this side is the client")
}

// GRPCClient is part of plugin.GRPCPlugin.
func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

package conn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
)

// clientVersion is the SSH version string of the client.
const clientVersion = "SSH-2.0-terraform-provider-posix"

// progress is the current step of a connection attempt.
type progress struct{ at atomic.Int32 }

const (
	preparing int32 = iota
	connecting
	greeting
	exchangingKeys
	authenticating
	pausing
)

var steps = [...]string{
	preparing:      "while reading keys",
	connecting:     "while connecting",
	greeting:       "while waiting for the SSH version of the server",
	exchangingKeys: "during the key exchange",
	authenticating: "during authentication",
	pausing:        "before trying again",
}

func (p *progress) step() string { return steps[p.at.Load()] }

// dial connects and authenticates, and retries after transient errors.
func (c *Conn) dial(ctx context.Context, p *progress) (*connection, error) {
	login, err := c.newLogin(ctx)
	if err != nil {
		return nil, err
	}
	defer login.close()
	pause := c.options.RetryPause
	for try := 1; ; try++ {
		conn, err := c.try(ctx, p, login)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if try > c.options.Retries || host.ConnectsOnce(ctx) || !isTransient(err, p.at.Load()) {
			if try > 1 {
				err = fmt.Errorf("%w (tried %d times)", err, try)
			}
			return nil, err
		}
		p.at.Store(pausing)
		if host.Sleep(ctx, pause) != nil {
			return nil, err
		}
		pause = min(2*pause, maxPause)
	}
}

// try connects and authenticates once. If the host presents a key that is not pinned, try tries
// again without that key type, as long as the host may have a pinned key too. If all attempts fail, the
// error is that of the first one, unless ctx has ended.
func (c *Conn) try(ctx context.Context, p *progress, login *login) (*connection, error) {
	check, err := c.trust.begin()
	if err != nil {
		return nil, refusedError{err} // not an error of the host, which may be reachable
	}
	var first error
	for {
		conn, err := c.tryOnce(ctx, p, login, check)
		switch {
		case err == nil:
			return conn, nil
		case check.another():
			if first == nil {
				first = err
			}
			continue
		case first != nil && ctx.Err() == nil:
			return nil, first
		}
		return nil, err
	}
}

var errTimeout = errors.New("timeout")

func (c *Conn) tryOnce(ctx context.Context, p *progress, login *login, check *check) (*connection, error) {
	algorithms := check.algorithms()
	if len(algorithms) == 0 {
		return nil, refusedError{errors.New("HostKeyAlgorithms selects only host certificates, but known_hosts has no @cert-authority for the host. " +
			"Add an algorithm of plain keys to HostKeyAlgorithms or, unless host keys are pinned, an @cert-authority line to known_hosts")}
	}
	p.at.Store(connecting)
	// The jump host has its own time limit.
	if via, ok := c.options.Via.(interface {
		Connect(ctx context.Context) error
	}); ok {
		if err := via.Connect(ctx); err != nil {
			return nil, c.explain(ctx, p, err)
		}
	}
	ctx, cancel := c.withTimeout(ctx)
	defer cancel()
	conn, err := c.dialTCP(ctx)
	if err != nil {
		return nil, c.explain(ctx, p, err)
	}
	explain := func(err error) error {
		err = c.explain(ctx, p, err)
		if proxy, is := conn.(*proxy); is {
			err = proxy.explain(err)
		}
		return err
	}
	p.at.Store(greeting)
	greeted := &greetedConn{Conn: conn, p: p}
	wire := newWire(greeted)
	stop := context.AfterFunc(ctx, func() {
		wire.end(context.Cause(ctx))
		if p.at.Load() == authenticating { // there is no further attempt, and the agent may be signing
			login.close()
		}
	})
	defer stop()
	login.begin()
	config := &ssh.ClientConfig{
		User:              c.options.User,
		ClientVersion:     clientVersion,
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if err := check.verify(key); err != nil {
				return refusedError{err}
			}
			p.at.Store(authenticating)
			return nil
		},
		AuthCallback: login.next,
	}
	inner, channels, requests, err := ssh.NewClientConn(wire, c.options.address(), config)
	if err != nil {
		wire.end(err)
		return nil, explain(login.explain(greeted.missingVersion(err)))
	}
	made := &connection{ssh: ssh.NewClient(inner, channels, requests), wire: wire, lost: make(chan struct{})}
	if !stop() { // too late: the connection is closed already
		_ = made.ssh.Wait() // waits for its goroutines
		return nil, explain(context.Cause(ctx))
	}
	return made, nil
}

// withTimeout returns a context that ends with the cause errTimeout after ConnectTimeout, unless that is zero.
func (c *Conn) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := c.options.ConnectTimeout; limit > 0 {
		return context.WithTimeoutCause(ctx, limit, errTimeout)
	}
	return ctx, func() {}
}

// dialTCP connects to the address: directly, through the jump host, or with the ProxyCommand.
func (c *Conn) dialTCP(ctx context.Context) (net.Conn, error) {
	if command := c.options.ProxyCommand; command != nil {
		return command.start()
	}
	if via := c.options.Via; via != nil {
		return via.Dial(ctx, "tcp", c.options.address())
	}
	return new(net.Dialer).DialContext(ctx, "tcp", c.options.address())
}

// greetedConn is a connection that records the data that the server sends up to its version
// string.
type greetedConn struct {
	net.Conn
	p *progress
	// text is the data received until the version string. Until then, only the goroutine that
	// dials reads.
	text []byte
}

const greetingPrefix = "SSH-"

func (g *greetedConn) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if g.p.at.Load() == greeting {
		if len(g.text) < 256 {
			g.text = append(g.text, b[:n]...)
		}
		if bytes.HasPrefix(g.text, []byte(greetingPrefix)) || bytes.Contains(g.text, []byte("\n"+greetingPrefix)) {
			g.p.at.Store(exchangingKeys)
		}
	}
	return n, err
}

// Write writes data. If the server has closed the connection before it got the version of the
// client, Write reads what the server sent, which explains the failure better. The receiving direction
// may still be open.
func (g *greetedConn) Write(b []byte) (int, error) {
	n, err := g.Conn.Write(b)
	if err != nil && g.p.at.Load() == greeting {
		_ = g.SetReadDeadline(time.Now().Add(proxyGrace)) // if the connection has no deadlines, ConnectTimeout limits the read
		_, _ = g.Read(make([]byte, 256))
	}
	return n, err
}

// missingVersion returns the reason if the server sent text other than a version string, else
// err. The error is transient if the text is that of sshd for a client that it rejects for the moment.
func (g *greetedConn) missingVersion(err error) error {
	text := strings.TrimSpace(string(g.text[:min(len(g.text), 60)]))
	if g.p.at.Load() != greeting || text == "" {
		return err
	}
	for _, busy := range []string{"Exceeded MaxStartups", "Not allowed at this time"} {
		if strings.Contains(text, busy) {
			return &explainedError{fmt.Sprintf("the server sent %q instead of its SSH version", text), io.EOF}
		}
	}
	return fmt.Errorf("%w: the server sent %q. Check the port", errNotSSH, text)
}

// isTransient reports whether an error may disappear with time: the host is booting, or has
// too many clients at the moment.
func isTransient(err error, at int32) bool {
	if at >= authenticating || errors.Is(err, ErrRefused) || errors.Is(err, errNotSSH) {
		return false
	}
	if _, other := errors.AsType[*Error](err); other { // from the jump host, which has retried already
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return !dns.IsNotFound
	}
	if forward, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
		return forward.Reason == ssh.ConnectionFailed
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, errTimeout) || errors.Is(err, syscall.ECONNRESET)
}

var errNotSSH = errors.New("the server does not use the SSH protocol")

// explainedError is a cause with a text that explains it.
type explainedError struct {
	text  string
	cause error
}

func (e *explainedError) Error() string { return e.text }
func (e *explainedError) Unwrap() error { return e.cause }

// explain adds advice or the current step to an error of a connection attempt, unless the error
// explains itself. If ctx has ended, the result is its cause or matches errTimeout.
func (c *Conn) explain(ctx context.Context, p *progress, err error) error {
	network, isNetwork := errors.AsType[net.Error](err)
	_, other := errors.AsType[*Error](err)
	dns, unknown := errors.AsType[*net.DNSError](err)
	refusal, refused := errors.AsType[refusedError](err)
	reason, explained := errors.AsType[*explainedError](err)
	negotiation, disagree := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	at := p.at.Load()
	say := func(format string, args ...any) error {
		return &explainedError{fmt.Sprintf(format, args...), err}
	}
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeout):
		return context.Cause(ctx)
	case ctx.Err() != nil || isNetwork && network.Timeout() && !other:
		within := ""
		if limit := c.options.ConnectTimeout; limit > 0 && !errors.Is(err, syscall.ETIMEDOUT) { // TCP may give up before the limit
			within = fmt.Sprintf(" within %s", limit)
		}
		err = errTimeout // other errors are consequences of the timeout
		if at == authenticating {
			return say("authentication did not finish%s", within)
		}
		return say("no answer%s %s. Check the address, that the host is up, and the firewalls in between", within, p.step())
	case other:
		return err
	case refused:
		return refusal
	case unknown && dns.IsNotFound:
		return say("cannot resolve the name %s", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("connection refused. Check that sshd is running, and the port")
	case disagree:
		return say("no common algorithm for the %s; the server supports %v", negotiation.What, negotiation.RequestedAlgorithms)
	case explained:
		return reason
	case errors.Is(err, errNotSSH):
		return err
	case at == greeting && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)):
		return say("the server closed the connection before it sent its SSH version: it has too many connections (MaxStartups), or does not " +
			"accept connections from this address")
	case at == authenticating && errors.Is(err, io.EOF):
		return say("the server closed the connection during authentication")
	}
	return fmt.Errorf("%w %s", err, p.step())
}

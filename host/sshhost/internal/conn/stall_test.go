package conn_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// stalling is a server that accepts every password and replies to global requests, such as
// keepalives, but not to the requests that its fields select. Its method Dial connects to it.
type stalling struct {
	t         *testing.T
	noChannel bool // it does not reply to requests for a channel
	noReply   bool // it does not reply to requests to start a program

	logins *atomic.Int64 // if not nil, it counts logins, and the server replies to each after a minute
}

// Dial implements [conn.Dialer].
func (s stalling) Dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go s.serve(far)
	b := &buffered{Conn: near, out: make(chan []byte, 100), done: make(chan struct{})}
	go b.copy()
	return b, nil
}

// buffered is a net.Pipe whose writes do not wait for the reader: both sides of SSH start with
// a write.
type buffered struct {
	net.Conn
	out   chan []byte
	done  chan struct{}
	close sync.Once
}

func (b *buffered) copy() {
	for {
		select {
		case p := <-b.out:
			_, _ = b.Conn.Write(p) // the reader gets the error
		case <-b.done:
			return
		}
	}
}

// Write implements [net.Conn].
func (b *buffered) Write(p []byte) (int, error) {
	select {
	case b.out <- bytes.Clone(p):
		return len(p), nil
	case <-b.done:
		return 0, net.ErrClosed
	}
}

// Close implements [net.Conn].
func (b *buffered) Close() error {
	b.close.Do(func() { close(b.done) })
	return b.Conn.Close()
}

func (s stalling) serve(far net.Conn) {
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		s.t.Error(err)
		return
	}
	config := &ssh.ServerConfig{PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		if s.logins != nil {
			s.logins.Add(1)
			time.Sleep(time.Minute)
		}
		return nil, nil
	}}
	config.AddHostKey(signer)
	_, channels, requests, err := ssh.NewServerConn(far, config)
	if err != nil {
		return // the client reports the error
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		if s.noChannel {
			continue
		}
		_, requests, err := c.Accept()
		if err != nil {
			return // the connection has ended
		}
		go func() {
			for r := range requests {
				if !s.noReply {
					_ = r.Reply(true, nil) // the connection may have ended
				}
			}
		}()
	}
}

// TestServerStalls checks that a server that does not reply at the start of a session, a
// program or its output does not block an operation for longer than about ConnectTimeout,
// even if it replies to keepalives.
func TestServerStalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server stalling
		want   string
	}{
		"session": {stalling{noChannel: true}, "the server did not reply within 20s to the request for a session"},
		"program": {stalling{noReply: true}, "the server did not reply within 20s to the request for exec"},
		"output":  {stalling{}, "the server did not reply within 20s to the start of SFTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tt.server.t = t
				password := conn.Secret("x")
				c, err := conn.New(conn.Options{
					Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
					Trust: conn.Trust{Policy: conn.AcceptNew}, Via: tt.server,
					ConnectTimeout: 20 * time.Second, RetryPause: time.Millisecond, MaxSessions: 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for range 2 { // the only session is available again
					began := time.Now()
					p, err := c.Start(t.Context(), "true")
					if err == nil {
						received := c.ExpectReply("to the start of SFTP")
						_, err = io.ReadAll(p.Stdout())
						received()
						_ = p.Close() // the connection has ended
					}
					if err == nil || !errors.Is(err, conn.ErrNoReply) || !strings.Contains(err.Error(), tt.want) {
						t.Errorf("got error %v, want %q", err, tt.want)
					}
					if took := time.Since(began); took < 20*time.Second || took > 22*time.Second {
						t.Errorf("the call took %s, want 20s to 22s", took)
					}
				}
			})
		})
	}
}

// unreading is a stalling server that reads nothing more from its connections once stopped is set,
// as if the buffers of both hosts were full.
type unreading struct {
	stalling
	stopped *atomic.Bool
	dialled chan *unreadConn
}

// Dial implements [conn.Dialer].
func (u unreading) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := u.stalling.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	unread := &unreadConn{Conn: c, stopped: u.stopped, closed: make(chan struct{})}
	u.dialled <- unread
	return unread, nil
}

// unreadConn is a connection whose writes block until Close once stopped is set.
type unreadConn struct {
	net.Conn
	stopped *atomic.Bool
	closed  chan struct{}
	once    sync.Once
}

// Write implements [net.Conn].
func (u *unreadConn) Write(p []byte) (int, error) {
	if u.stopped.Load() {
		<-u.closed
		return 0, net.ErrClosed
	}
	return u.Conn.Write(p)
}

// Close implements [net.Conn].
func (u *unreadConn) Close() error {
	u.once.Do(func() { close(u.closed) })
	return u.Conn.Close()
}

// TestServerStopsReading checks that a server that stops reading does not block the end of a program,
// of a forwarded connection or of the whole connection. There are no keepalives, because a server
// that still sends data need not reply to them. A new connection to another host waits for the end
// of an idle connection whose slot it takes.
func TestServerStopsReading(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(ctx context.Context, c *conn.Conn) (end func(), err error){
		"program": func(ctx context.Context, c *conn.Conn) (func(), error) {
			p, err := c.Start(ctx, "cat")
			return func() {
				p.Signal("KILL")
				p.Close()
			}, err
		},
		"forwarded connection": func(ctx context.Context, c *conn.Conn) (func(), error) {
			forward, err := c.Dial(ctx, "tcp", "192.0.2.2:80")
			return func() { forward.Close() }, err
		},
		"connection": func(ctx context.Context, c *conn.Conn) (func(), error) {
			_, release, err := conn.Hold(ctx, c, conn.Kind{Name: "files"}, func(ctx context.Context) (*echoSession, error) { return newEchoSession(ctx, c) })
			if err == nil {
				release()
			}
			return c.Disconnect, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			password := conn.Secret("x")
			server := unreading{stalling{t: t}, new(atomic.Bool), make(chan *unreadConn, 10)}
			c := open(t, conn.Options{
				Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
				Trust: conn.Trust{Policy: conn.AcceptNew}, Via: server, ConnectTimeout: time.Minute, MaxSessions: 10,
			})
			end, err := prepare(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			server.stopped.Store(true)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				end()
			}()
			if !remote.ClosesWithin(ended, time.Minute) {
				t.Error("the call still waits for the server after a minute")
				(<-server.dialled).Close() // the cleanup would wait too
			}
		})
	}
}

// TestAgentStalls checks that ConnectTimeout limits the wait for an agent.
func TestAgentStalls(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "agent")
	agent, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket) // accepts connections, and never replies
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	c := open(t, conn.Options{
		Name: "web", Address: "127.0.0.1", Port: 1, User: "joe", Auth: conn.Auth{Agent: socket},
		Trust: conn.Trust{Policy: conn.AcceptNew}, ConnectTimeout: 50 * time.Millisecond, MaxSessions: 1,
	})
	if err := c.Connect(t.Context()); err == nil {
		t.Error("the connection to a closed port succeeded")
	}
}

// TestConnectOnce checks that a caller that does the retries itself gets the cause of the first failure.
func TestConnectOnce(t *testing.T) {
	t.Parallel()
	password := conn.Secret("x")
	c := open(t, conn.Options{
		Name: "web", Address: "127.0.0.1", Port: 1, User: "joe", Auth: conn.Auth{Password: &password},
		Trust: conn.Trust{Policy: conn.AcceptNew}, Retries: 1000, RetryPause: time.Hour, MaxSessions: 1,
	})
	if err := c.Connect(host.WithConnectOnce(t.Context())); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got error %v, want the error of the refused connection", err)
	}
}

// refusing is a dialer whose connections are refused after a second. It counts them.
type refusing struct{ dials atomic.Int64 }

// Dial implements [conn.Dialer].
func (r *refusing) Dial(_ context.Context, network, _ string) (net.Conn, error) {
	r.dials.Add(1)
	time.Sleep(time.Second)
	return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
}

// TestLoginOfAnotherCaller checks that a login that another caller began is not repeated if it gets no reply,
// because hosts count failures.
func TestLoginOfAnotherCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		password := conn.Secret("x")
		var logins atomic.Int64
		c, err := conn.New(conn.Options{
			Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
			Trust: conn.Trust{Policy: conn.AcceptNew}, Via: stalling{t: t, logins: &logins},
			ConnectTimeout: 20 * time.Second, MaxSessions: 1, Retries: 2, RetryPause: time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		once := make(chan error, 1)
		go func() { once <- c.Connect(host.WithConnectOnce(t.Context())) }()
		time.Sleep(time.Second / 2)
		for _, err := range []error{c.Connect(t.Context()), <-once} {
			if !errors.Is(err, host.ErrUnreachable) {
				t.Errorf("got error %v, want the error of the timeout", err)
			}
		}
		if n := logins.Load(); n != 1 {
			t.Errorf("%d logins, want 1", n)
		}
		time.Sleep(2 * time.Minute) // until the server ends
	})
}

// TestConnectOnceOfAnotherCaller checks that a caller retries as configured, even if another
// caller, which does not retry, is connecting or has just failed.
func TestConnectOnceOfAnotherCaller(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"connecting": time.Second / 2, "failed": 3 * time.Second / 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				password := conn.Secret("x")
				server := &refusing{}
				c, err := conn.New(conn.Options{
					Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
					Trust: conn.Trust{Policy: conn.AcceptNew}, Via: server, MaxSessions: 1, Retries: 2, RetryPause: time.Second,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				once := make(chan error, 1)
				go func() { once <- c.Connect(host.WithConnectOnce(t.Context())) }()
				time.Sleep(after)
				if err := c.Connect(t.Context()); !errors.Is(err, host.ErrUnreachable) || !strings.Contains(err.Error(), "tried 3 times") {
					t.Errorf("got error %v, want the error of three attempts", err)
				}
				if err := <-once; !errors.Is(err, host.ErrUnreachable) || strings.Contains(err.Error(), "tried") {
					t.Errorf("the other caller got error %v, want the error of one attempt", err)
				}
				if n := server.dials.Load(); n != 4 {
					t.Errorf("%d attempts, want 1 without retries and 3 with retries", n)
				}
			})
		})
	}
}

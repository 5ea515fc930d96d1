package conn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// hanging is a stalling server that can be made unreachable: no data arrives in either direction
// once dead is set, and new connections get no answer.
type hanging struct {
	stalling
	dead  *atomic.Bool
	dials *atomic.Int64
}

// Dial implements [conn.Dialer].
func (h hanging) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	h.dials.Add(1)
	if h.dead.Load() {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	c, err := h.stalling.Dial(ctx, network, address)
	return &droppingConn{Conn: c, dead: h.dead, closed: make(chan struct{})}, err
}

// droppingConn is a connection that drops all data once dead is set.
type droppingConn struct {
	net.Conn
	dead   *atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (d *droppingConn) Read(p []byte) (int, error) {
	n, err := d.Conn.Read(p)
	if d.dead.Load() && err == nil {
		<-d.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (d *droppingConn) Write(p []byte) (int, error) {
	if d.dead.Load() {
		return len(p), nil // as if the kernel had buffered the data
	}
	return d.Conn.Write(p)
}

func (d *droppingConn) Close() error {
	err := d.Conn.Close()
	d.once.Do(func() { close(d.closed) })
	return err
}

// TestSilentHost checks how long an operation may take on a host that hangs, with the default
// settings, which docs/index.md lists: a running command fails within a minute, and connecting
// again fails after about two and a quarter more minutes, once for all callers.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		password := conn.Secret("x")
		server := hanging{stalling{t: t}, new(atomic.Bool), new(atomic.Int64)}
		c, err := conn.New(conn.Options{
			Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
			Trust: conn.Trust{Policy: conn.AcceptNew}, Via: server, MaxSessions: 10,
			ConnectTimeout: 20 * time.Second, Retries: 5, KeepAlive: 15 * time.Second, KeepAliveCount: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		p, err := c.Start(t.Context(), "sleep infinity")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // the host replies to keepalives: the command may take any amount of time
		if _, err := c.Start(t.Context(), "true"); err != nil {
			t.Fatal(err)
		}
		server.dead.Store(true)
		began := time.Now()
		_, err = io.ReadAll(p.Stdout())
		if _, waitErr := p.Wait(); !errors.Is(err, host.ErrLost) || !errors.Is(waitErr, host.ErrLost) || !strings.Contains(err.Error(), "the server sent nothing for 1m") {
			t.Errorf("the output ended with %v, and the command with %v, want a lost connection after 1m without data", err, waitErr)
		}
		if took := time.Since(began).Round(time.Second); took < 45*time.Second || took > time.Minute {
			t.Errorf("the command took %s to fail, want 45s to 1m", took)
		}

		began = time.Now()
		server.dials.Store(0)
		for range 3 { // later callers get the error at once
			if _, err := c.Start(t.Context(), "true"); !errors.Is(err, host.ErrUnreachable) || !strings.Contains(err.Error(), "no answer within 20s") {
				t.Errorf("got error %v, want an unreachable host and no answer within 20s", err)
			}
		}
		if took := time.Since(began).Round(time.Second); took != 2*time.Minute+16*time.Second || server.dials.Load() != 6 {
			t.Errorf("%d attempts took %s, want 6 and 2m16s", server.dials.Load(), took)
		}
	})
}

// TestDeadlineWhileConnecting checks that a caller whose own deadline passes before there is a
// connection gets an error about an unreachable host, unlike one that is canceled.
func TestDeadlineWhileConnecting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		password := conn.Secret("x")
		server := hanging{dead: new(atomic.Bool), dials: new(atomic.Int64)}
		server.dead.Store(true)
		c, err := conn.New(conn.Options{
			Name: "web", Address: "192.0.2.1", Port: 22, User: "joe", Auth: conn.Auth{Password: &password},
			Trust: conn.Trust{Policy: conn.AcceptNew}, Via: server, MaxSessions: 1, ConnectTimeout: 20 * time.Second, Retries: 5,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		limited, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the read took too long"))
		defer cancel()
		if err := c.Connect(limited); !errors.Is(err, host.ErrUnreachable) || !strings.Contains(err.Error(), "the read took too long while connecting") {
			t.Errorf("after the deadline: error %v, want an unreachable host and the cause of the deadline", err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := c.Connect(canceled); errors.Is(err, host.ErrUnreachable) || !errors.Is(err, context.Canceled) {
			t.Errorf("after a cancellation: error %v, want a canceled context and no unreachable host", err)
		}
	})
}

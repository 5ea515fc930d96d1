package conn_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func TestJump(t *testing.T) {
	t.Parallel()
	first, o1 := serve(t, sshdtest.Config{})
	second, o2 := serve(t, sshdtest.Config{})
	_, o3 := serve(t, sshdtest.Config{})
	o1.Name, o2.Name, o3.Name = "outer", "inner", "target"
	outer := open(t, o1)
	o2.Via = outer
	inner := open(t, o2)
	o3.Via = inner
	target := open(t, o3)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if stdout, _, err := run(t.Context(), target, "cat", "through two"); err != nil || stdout != "through two" {
				t.Errorf("cat: output %q, error %v, want output %q and no error", stdout, err, "through two")
			}
		})
	}
	all.Wait()
	if n, m := first.Connections(), second.Connections(); n != 1 || m != 1 {
		t.Errorf("the jump hosts have %d and %d connections, want 1 and 1", n, m)
	}
	p := begin(t, target)
	outer.Disconnect()
	wantLost(t, p)
	if _, _, err := run(t.Context(), target, "true", ""); err != nil {
		t.Errorf("run after the connection to the first jump host broke returned error %v, want none", err)
	}
	o1.Auth = conn.Auth{}
	o2.Via = open(t, o1)
	o2.Retries = 3
	err := open(t, o2).Connect(t.Context())
	if !errors.Is(err, conn.ErrRefused) || !strings.Contains(err.Error(), "host inner") || !strings.Contains(err.Error(), "host outer") {
		t.Errorf("a jump host that rejects the authentication: error %v, want %v of inner through outer", err, conn.ErrRefused)
	}
}

func TestJumpFails(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	_, closed := serve(t, sshdtest.Config{Forwarding: sshdtest.No})
	closed.Name = "bastion"
	over := o
	over.Via = open(t, closed)
	err := open(t, over).Connect(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bastion rejects a forwarded connection") || !strings.Contains(err.Error(), "AllowTcpForwarding") {
		t.Errorf("a jump host that forbids forwarding: error %v, want an error about a rejected forwarded connection", err)
	}
	// Connections to a booting target are retried.
	bastion, passing := serve(t, sshdtest.Config{})
	over.Via = open(t, passing)
	over.Retries = 1000
	c := open(t, over)
	server.Kill()
	done := make(chan error, 1)
	go func() { done <- c.Connect(t.Context()) }()
	bastion.Await(t, 2, "connect_to 127.0.0.1 port "+strconv.Itoa(server.Port())+": failed")
	if err := server.Restart(nil); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Connect to a target that was started later returned error %v, want none", err)
	}
	// The connect timeout applies to the target only.
	dead := through(t, o, nettest.BlackHole(t))
	dead.Name, dead.ConnectTimeout = "bastion", time.Second
	over.Via = open(t, dead)
	over.ConnectTimeout, over.Retries = 10*time.Millisecond, 0
	err = open(t, over).Connect(t.Context())
	if err == nil || !strings.Contains(err.Error(), "host bastion") || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("a jump host that does not respond: error %v, want the timeout of 1s of the jump host", err)
	}
}

// echo starts a server that sends back what it receives, and returns its address.
func echo(tb testing.TB, network, address string) string {
	tb.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				io.Copy(conn, conn)
				conn.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

func dial(tb testing.TB, c *conn.Conn, network, address string) net.Conn {
	tb.Helper()
	conn, err := c.Dial(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	return conn
}

func TestDial(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		address = echo(t, network, address)
		conn := dial(t, c, network, address)
		text := strings.Repeat(network, 1_000_000)
		go func() {
			io.WriteString(conn, text)
			conn.(interface{ CloseWrite() error }).CloseWrite()
		}()
		if got, err := io.ReadAll(conn); err != nil || string(got) != text {
			t.Errorf("%s: received %d bytes of %d, error %v", network, len(got), len(text), err)
		}
		conn = dial(t, c, network, address)
		conn.SetDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := conn.Read(make([]byte, 1))
		if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
			t.Errorf("%s: Read after the deadline returned %v, want a timeout", network, err)
		}
		conn.SetDeadline(time.Time{})
		reading := make(chan error, 1)
		go func() { _, err := conn.Read(make([]byte, 1)); reading <- err }()
		conn.Close()
		if err := <-reading; err == nil {
			t.Errorf("%s: Read succeeded after Close", network)
		}
	}
	for _, address := range [][2]string{{"tcp", "127.0.0.1:1"}, {"unix", "/nowhere/socket"}, {"udp", "127.0.0.1:53"}, {"tcp", "db"}, {"tcp", "db:http"}} {
		if conn, err := c.Dial(t.Context(), address[0], address[1]); err == nil {
			conn.Close()
			t.Errorf("Dial to %v returned no error, want one", address)
		}
	}
	far := dial(t, c, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c.Disconnect()
	if _, err := far.Read(make([]byte, 1)); !errors.Is(err, conn.ErrLost) {
		t.Errorf("Read after the connection broke returned %v, want %v", err, conn.ErrLost)
	}
}

// TestDialWhileLost checks that Dial connects again if the connection breaks before the host has replied. That
// a connection to a jump host is dead may be noticed only while a connection through it is being opened.
func TestDialWhileLost(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	c := open(t, through(t, o, proxy.Addr()))
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	address := echo(t, "tcp", "127.0.0.1:0")
	proxy.Stall()
	dialled := make(chan error, 1)
	go func() {
		far, err := c.Dial(t.Context(), "tcp", address)
		if err == nil {
			far.Close()
		}
		dialled <- err
	}()
	select {
	case err := <-dialled:
		t.Fatalf("Dial returned error %v during a stall, want no return before the end of the stall", err)
	case <-time.After(50 * time.Millisecond):
	}
	proxy.Cut()
	proxy.Resume()
	if err := <-dialled; err != nil {
		t.Errorf("Dial returned error %v after the connection broke, want none", err)
	}
	if n := proxy.Connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

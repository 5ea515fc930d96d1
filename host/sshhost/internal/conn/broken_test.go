package conn_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// through returns o with a proxy's address in place of the server's, and without host key
// verification.
func through(tb testing.TB, o conn.Options, addr string) conn.Options {
	tb.Helper()
	name, port, err := net.SplitHostPort(addr)
	if err != nil {
		tb.Fatal(err)
	}
	if o.Port, err = strconv.Atoi(port); err != nil {
		tb.Fatal(err)
	}
	o.Address = name
	o.Trust = conn.Trust{Policy: conn.Insecure}
	return o
}

// begin starts a program that does not end, waits until it is running, and returns it.
func begin(tb testing.TB, c *conn.Conn) remote.Process {
	tb.Helper()
	p, err := c.Start(tb.Context(), "echo begun; exec sleep 3600")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Signal("KILL"); p.Close() })
	begun := make([]byte, len("begun\n"))
	if _, err := io.ReadFull(p.Stdout(), begun); err != nil {
		tb.Fatal(err)
	}
	return p
}

// wantLost checks that all calls that wait for the program return an error that matches conn.ErrLost and host.ErrLost.
func wantLost(t *testing.T, p remote.Process) {
	t.Helper()
	for name, wait := range map[string]func() error{
		"stdout": func() error { _, err := p.Stdout().Read(make([]byte, 1)); return err },
		"stderr": func() error { _, err := p.Stderr().Read(make([]byte, 1)); return err },
		"wait":   func() error { _, err := p.Wait(); return err },
		"stdin":  func() error { _, err := p.Stdin().Write(make([]byte, 8<<20)); return err },
	} {
		if err := wait(); !errors.Is(err, conn.ErrLost) || !errors.Is(err, host.ErrLost) {
			t.Errorf("%s: error %v, want conn.ErrLost and host.ErrLost", name, err)
		}
	}
}

func TestKilledAndRestarted(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	o.Retries = 1000
	c := open(t, o)
	p := begin(t, c)
	server.Kill()
	wantLost(t, p)
	restarted := make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond) // some attempts are refused first
		restarted <- server.Restart(nil)
	}()
	stdout, _, err := run(t.Context(), c, "echo again", "")
	if err != nil || stdout != "again\n" {
		t.Errorf("after the restart: output %q, error %v, want %q and no error", stdout, err, "again\n")
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
}

// TestCut checks that a connection that breaks while it is idle is not used again.
func TestCut(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	c := open(t, through(t, o, proxy.Addr()))
	for i := range 5 {
		if _, _, err := run(t.Context(), c, "true", ""); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		proxy.Cut()
	}
	p := begin(t, c)
	proxy.Cut()
	wantLost(t, p)
	if n := proxy.Connections(); n != 6 {
		t.Errorf("%d connections, want 6", n)
	}
}

// TestPing checks that Ping waits until the host replies or the connection breaks.
func TestPing(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	p := begin(t, open(t, through(t, o, proxy.Addr())))
	ping := func(done func()) error {
		proxy.Stall()
		replied := make(chan error, 1)
		go func() { replied <- p.Ping() }()
		select {
		case err := <-replied:
			t.Errorf("during a stall: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		done()
		return <-replied
	}
	if err := ping(proxy.Resume); err != nil {
		t.Error(err)
	}
	if err := ping(proxy.Cut); !errors.Is(err, host.ErrLost) {
		t.Errorf("after the connection was lost: error %v, want %v", err, host.ErrLost)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	o = through(t, o, proxy.Addr())
	o.KeepAlive, o.KeepAliveCount = 50*time.Millisecond, 60 // a busy host replies within this time
	c := open(t, o)
	p := begin(t, c)
	time.Sleep(time.Duration(2*o.KeepAliveCount) * o.KeepAlive) // a server that sends nothing but keepalive replies is alive
	if _, _, err := run(t.Context(), c, "true", ""); err != nil {
		t.Fatalf("run after a time without data returned error %v, want none", err)
	}
	if n := proxy.Connections(); n != 1 {
		t.Fatalf("%d connections after a time without data, want 1", n)
	}
	proxy.Stall()
	wantLost(t, p)
	proxy.Resume()
	if _, _, err := run(t.Context(), c, "true", ""); err != nil {
		t.Errorf("run after the stall returned error %v, want none", err)
	}
	if n := proxy.Connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// TestStalledInput checks that input that is not delivered before keepalives end a connection is never
// delivered: it could be a request that is repeated on a new connection.
func TestStalledInput(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	o = through(t, o, proxy.Addr())
	o.KeepAlive, o.KeepAliveCount = 50*time.Millisecond, 40 // a busy host replies within this time
	dir := t.TempDir()
	p, err := open(t, o).Start(t.Context(), "cd "+dir+" && echo begun && read line && touch arrived; touch ended")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	begun := make([]byte, len("begun\n"))
	if _, err := io.ReadFull(p.Stdout(), begun); err != nil {
		t.Fatal(err)
	}
	proxy.Stall()
	if _, err := p.Stdin().Write([]byte("go\n")); err != nil {
		t.Error(err)
	}
	if exit, err := p.Wait(); !errors.Is(err, conn.ErrLost) {
		t.Errorf("Wait returned %+v, error %v, want an error that matches ErrLost", exit, err)
	}
	for end := time.Now().Add(10 * time.Second); proxy.Open() > 0 && time.Now().Before(end); { // until the proxy has passed on the reset
		time.Sleep(time.Millisecond)
	}
	proxy.Resume()
	for _, err := os.Stat(dir + "/ended"); err != nil; _, err = os.Stat(dir + "/ended") {
		time.Sleep(time.Millisecond)
	}
	if _, err := os.Stat(dir + "/arrived"); err == nil {
		t.Error("the input arrived after the connection had ended")
	}
}

// TestServerOfSessionKilled checks that Wait returns ErrLost if the server's process for the
// session is killed.
func TestServerOfSessionKilled(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	p, err := c.Start(t.Context(), "read go; kill -TERM $PPID; exec sleep 3600") // the kill waits until Start has its reply
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); !errors.Is(err, conn.ErrLost) {
		t.Errorf("Wait returned %+v, error %v, want an error that matches ErrLost", exit, err)
	}
}

// TestSessionEndedByServer checks that a session that the server ends is not a lost
// connection.
func TestSessionEndedByServer(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{Lines: []string{"ChannelTimeout session*=1"}})
	c := open(t, o)
	p, err := c.Start(t.Context(), "exec sleep 3600")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if exit, err := p.Wait(); err == nil || errors.Is(err, conn.ErrLost) {
		t.Errorf("Wait returned %+v, error %v, want an error that does not match ErrLost", exit, err)
	}
	if _, _, err := run(t.Context(), c, "true", ""); err != nil {
		t.Error(err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestCanceledDial(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	proxy.Stall()
	c := open(t, through(t, o, proxy.Addr()))
	waiting := make(chan error, 1)
	go func() { waiting <- c.Connect(t.Context()) }()
	for proxy.Open() == 0 {
		time.Sleep(time.Millisecond)
	}
	why := errors.New("why")
	var err error
	for pause := time.Millisecond; err == nil || !strings.Contains(err.Error(), "while "); pause *= 2 { // until the canceled caller was waiting
		ctx, cancel := context.WithCancelCause(t.Context())
		canceled := make(chan error, 1)
		go func() { canceled <- c.Connect(ctx) }()
		time.Sleep(pause)
		cancel(why)
		if err = <-canceled; !errors.Is(err, why) {
			t.Fatalf("the canceled caller got %v, want %v", err, why)
		}
	}
	proxy.Resume()
	if err := <-waiting; err != nil {
		t.Errorf("the other caller got error %v, want none", err)
	}
	if n := proxy.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// TestAllCanceled checks that no attempt is left running if all callers are canceled,
// and that later callers connect.
func TestAllCanceled(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	proxy.Stall()
	c := open(t, through(t, o, proxy.Addr()))
	for i := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- c.Connect(ctx) }()
		for proxy.Connections() == i {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "while ") {
			t.Errorf("Connect returned %v, want context.Canceled and the step", err)
		}
	}
	proxy.Resume()
	if err := c.Connect(t.Context()); err != nil {
		t.Error(err)
	}
	if n := proxy.Connections(); n != 4 {
		t.Errorf("%d connections, want one for each of the 4 callers", n)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	server, o := serve(t, sshdtest.Config{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			conn.Close()
		}
	}()
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	stalled := nettest.Start(t, server.Addr(), 0)
	stalled.Stall()
	for _, tt := range []struct {
		name, addr string
		want       []string
	}{
		{"no listener", "127.0.0.1:1", []string{"connection refused", "Check that sshd is running", "tried 3 times"}},
		{"unknown name", "nowhere.invalid:22", []string{"nowhere.invalid"}},
		{"no answer", nettest.BlackHole(t), []string{"no answer within 3s while connecting", "tried 2 times"}},
		{"no greeting", mute.Addr().String(), []string{"no answer within 3s while waiting for the SSH version"}},
		{"a stall", stalled.Addr(), []string{"no answer within 3s while waiting for the SSH version"}},
		{"another protocol", listener.Addr().String(), []string{"does not use the SSH protocol", "HTTP/1.1 400"}},
	} {
		o := through(t, o, tt.addr)
		o.Retries = 2
		if strings.HasPrefix(tt.want[0], "no answer") {
			o.ConnectTimeout, o.Retries = 3*time.Second, 1
		}
		err := open(t, o).Connect(t.Context())
		for _, text := range append(tt.want, "host web (root@"+tt.addr) {
			if text = strings.ReplaceAll(text, "root@", o.User+"@"); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v, want an error with %q", tt.name, err, text)
			}
		}
		if errors.Is(err, conn.ErrRefused) {
			t.Errorf("%s: error %v matches ErrRefused", tt.name, err)
		}
		if !errors.Is(err, host.ErrUnreachable) {
			t.Errorf("%s: error %v does not match ErrUnreachable", tt.name, err)
		}
	}
}

// TestUnreachableHost checks that callers of an unreachable host share one wait instead of
// waiting in turn, and connect once it is reachable again.
func TestUnreachableHost(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	proxy := nettest.Start(t, server.Addr(), 0)
	proxy.Stall()
	o = through(t, o, proxy.Addr())
	o.ConnectTimeout, o.Retries = 2*time.Second, 0
	c := open(t, o)
	first := c.Connect(t.Context())
	begun := time.Now()
	for range 20 {
		if err := c.Connect(t.Context()); !errors.Is(err, host.ErrUnreachable) || err.Error() != first.Error() {
			t.Errorf("the first error was %v, a later error is %v, want the same", first, err)
		}
	}
	if took := time.Since(begun); took > 5*o.ConnectTimeout {
		t.Errorf("20 more calls waited for %s, want at most %s", took, 5*o.ConnectTimeout)
	}
	proxy.Resume()
	for c.Connect(t.Context()) != nil {
		if time.Since(begun) > time.Minute {
			t.Fatal("no connection within one minute of the first error")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestFleet checks that a host that does not respond does not delay other hosts, and that
// its callers can cancel.
func TestFleet(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxStartups: "100"})
	dead := through(t, o, nettest.BlackHole(t))
	dead.ConnectTimeout = 0
	c := open(t, dead)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 4 {
		waiting.Go(func() {
			if err := c.Connect(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Connect to the host that does not respond returned %v, want %v", err, context.Canceled)
			}
		})
	}
	var fleet sync.WaitGroup
	for i := range 11 {
		o := o
		o.Name = fmt.Sprint("web", i)
		live := open(t, o)
		for range 5 {
			fleet.Go(func() {
				if stdout, _, err := run(ctx, live, "echo "+o.Name, ""); err != nil || stdout != o.Name+"\n" {
					t.Errorf("%s: %q, %v", o.Name, stdout, err)
				}
			})
		}
	}
	fleet.Wait()
	cancel()
	waiting.Wait()
}

func TestClose(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	p := begin(t, c)
	c.Close()
	wantLost(t, p)
	c.Close()
	if _, err := c.Start(t.Context(), "true"); !errors.Is(err, conn.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	stalled := nettest.Start(t, server.Addr(), 0)
	stalled.Stall()
	c = open(t, through(t, o, stalled.Addr()))
	dialling := make(chan error, 1)
	go func() { dialling <- c.Connect(context.Background()) }()
	for stalled.Open() == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	if err := <-dialling; !errors.Is(err, conn.ErrClosed) {
		t.Errorf("the waiting caller got %v, want %v", err, conn.ErrClosed)
	}
}

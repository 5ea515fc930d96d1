package nettest_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
)

// serveEcho starts a server that sends received data back, and returns its address.
func serveEcho(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
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
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func dial(tb testing.TB, addr string) net.Conn {
	tb.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	return conn
}

func exchange(tb testing.TB, conn net.Conn, text string) {
	tb.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		tb.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != text {
		tb.Fatalf("sent %q, got %q, error %v", text, got, err)
	}
}

func TestEverythingArrives(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 3 * time.Millisecond} {
		p := nettest.Start(t, serveEcho(t), delay)
		conn := dial(t, p.Addr())
		sent := make([]byte, 5<<20)
		_, _ = rand.Read(sent)
		go func() {
			conn.Write(sent)
			conn.(*net.TCPConn).CloseWrite()
		}()
		got, err := io.ReadAll(conn)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("delay %s: got %d bytes, want the %d bytes that were sent; error %v", delay, len(got), len(sent), err)
		}
	}
}

// TestDelay checks lower bounds of the delay, which hold on slow hosts too, and the number
// of turns and connections.
func TestDelay(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	p := nettest.Start(t, serveEcho(t), delay)
	start := time.Now()
	conn := dial(t, p.Addr())
	exchange(t, conn, "first")
	if took := time.Since(start); took < 4*delay {
		t.Errorf("handshake and exchange took %s, less than two round trips of %s", took, 2*delay)
	}
	start = time.Now()
	exchange(t, conn, "second")
	if took := time.Since(start); took < 2*delay {
		t.Errorf("an exchange took %s, less than a round trip of %s", took, 2*delay)
	}
	p.SetDelay(0)
	exchange(t, conn, "third")
	if turns, conns := p.Turns(), p.Connections(); turns != 2 || conns != 1 {
		t.Errorf("got %d turns and %d connections, want 2 and 1", turns, conns)
	}
}

// TestGreetingIsDelayed checks that the data of a server that sends first is delayed by
// the handshake, too.
func TestGreetingIsDelayed(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
	p := nettest.Start(t, listener.Addr().String(), delay)
	start := time.Now()
	if got, err := io.ReadAll(dial(t, p.Addr())); err != nil || string(got) != "hello" {
		t.Fatalf("got greeting %q, error %v, want hello", got, err)
	}
	if took := time.Since(start); took < 4*delay {
		t.Errorf("the greeting took %s, less than two round trips of %s", took, 2*delay)
	}
}

// TestThroughput checks that data sent at once is delayed once, not once for each chunk:
// 4 MiB are at least 128 chunks of 32 KiB, which would take 13 seconds.
func TestThroughput(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	p := nettest.Start(t, serveEcho(t), delay)
	conn := dial(t, p.Addr())
	start := time.Now()
	go conn.Write(make([]byte, 4<<20))
	if _, err := io.ReadFull(conn, make([]byte, 4<<20)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 128*delay {
		t.Errorf("4 MiB took %s, want at most %s: each chunk waits for the previous one", took, 128*delay)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	p := nettest.Start(t, serveEcho(t), 0)
	conn := dial(t, p.Addr())
	exchange(t, conn, "before")
	p.Stall()
	p.Stall()
	if _, err := io.WriteString(conn, "held"); err != nil {
		t.Fatal(err)
	}
	late := dial(t, p.Addr())
	for name, c := range map[string]net.Conn{"old": conn, "new": late} {
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %d bytes passed a stalled proxy with error %v, want a timeout", name, n, err)
		}
		c.SetReadDeadline(time.Time{})
	}
	p.Resume()
	p.Resume()
	got := make([]byte, 4)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "held" {
		t.Errorf("after the stall: got %q, error %v, want held", got, err)
	}
	exchange(t, late, "after")
}

func TestCut(t *testing.T) {
	t.Parallel()
	p := nettest.Start(t, serveEcho(t), 0)
	conn := dial(t, p.Addr())
	exchange(t, conn, "before")
	p.Cut()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reading from a cut connection: got error %v, want ECONNRESET", err)
	}
	exchange(t, dial(t, p.Addr()), "after")
	if n := p.Connections(); n != 2 {
		t.Errorf("got %d connections, want 2", n)
	}
}

// TestEnds checks that connections to a missing target fail, and that Close ends the
// connections of a proxy, which then accepts no new ones.
func TestEnds(t *testing.T) {
	t.Parallel()
	nobody := nettest.Start(t, "127.0.0.1:1", 0)
	if conn, err := net.Dial("tcp", nobody.Addr()); err == nil { // else the connection was already reset
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("a connection to a missing target is open")
		}
	}
	p := nettest.Start(t, serveEcho(t), time.Hour)
	waiting := dial(t, p.Addr())
	for p.Open() == 0 {
		time.Sleep(time.Millisecond)
	}
	p.Close()
	if _, err := waiting.Read(make([]byte, 1)); err == nil {
		t.Error("a connection of a closed proxy is open")
	}
	if conn, err := net.Dial("tcp", p.Addr()); err == nil {
		conn.Close()
		t.Error("a closed proxy accepts connections")
	}
	if n := p.Open(); n != 0 {
		t.Errorf("%d connections are open, want 0", n)
	}
}

func TestBlackHole(t *testing.T) {
	t.Parallel()
	conn, err := net.DialTimeout("tcp", nettest.BlackHole(t), 100*time.Millisecond)
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("connecting to a black hole: got %v and error %v, want a timeout", conn, err)
	}
}

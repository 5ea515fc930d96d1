package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pipes returns a dialer that connects to a target that sends nothing.
func pipes(t *testing.T) dialer {
	t.Helper()
	return func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		t.Cleanup(func() { _ = far.Close() }) // Close of a pipe returns no error
		return near, nil
	}
}

func listen(t *testing.T, all *tunnels, dial dialer) (id, address string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return all.open(t.Context(), newForward(listener, dial)), listener.Addr().String()
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("timed out waiting for: %s", what)
}

// memoryListener accepts connections in memory, for tests with a fake clock.
type memoryListener struct {
	net.Listener

	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func newMemoryListener() *memoryListener {
	l := &memoryListener{conns: make(chan net.Conn)}
	l.closed, l.close = context.WithCancel(context.Background())
	return l
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.close()
	return nil
}

// TestExpiry checks that a tunnel that is neither renewed nor used closes itself, and that
// tunnels that are renewed or used stay open.
func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := newTunnels(3 * time.Second)
		open := func() (id string, l *memoryListener) {
			l = newMemoryListener()
			return all.open(t.Context(), newForward(l, pipes(t))), l
		}
		idle, unused := open()
		renewed, _ := open()
		used, listener := open()
		conn, accepted := net.Pipe()
		listener.conns <- accepted
		for range 20 {
			time.Sleep(300 * time.Millisecond)
			if !all.renew(renewed) {
				t.Fatal("a renewed tunnel was closed")
			}
		}
		if all.remove(idle) != nil {
			t.Error("an idle tunnel is open")
		}
		if unused.closed.Err() == nil {
			t.Error("an idle tunnel listens")
		}
		all.mu.Lock()
		n := len(all.byID)
		all.mu.Unlock()
		if n != 2 {
			t.Errorf("%d tunnels are open, want 2: the renewed tunnel and the used tunnel", n)
		}
		if f := all.remove(renewed); f == nil || f.close(t.Context()) != nil {
			t.Error("the renewed tunnel cannot be closed")
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		all.mu.Lock()
		defer all.mu.Unlock()
		if all.byID[used] != nil {
			t.Error("a tunnel that is no longer used is open")
		}
	})
}

// TestCloseWhileDialling checks that closing a tunnel while it connects to the target resets the
// accepted connection, but does not count it as failed.
func TestCloseWhileDialling(t *testing.T) {
	t.Parallel()
	all := newTunnels(time.Minute)
	begun := make(chan struct{})
	id, address := listen(t, all, func(ctx context.Context) (net.Conn, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	f := all.remove(id)
	if err := f.close(t.Context()); err != nil {
		t.Error(err)
	}
	if text := f.warning(); text != "" {
		t.Errorf("warning %q, want none", text)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read of the closed connection: error %v, want a reset", err)
	}
}

// failingListener is a memoryListener whose first Accept fails.
type failingListener struct {
	*memoryListener

	failed bool
}

func (l *failingListener) Accept() (net.Conn, error) {
	if !l.failed {
		l.failed = true
		return nil, errors.New("too many open files")
	}
	return l.memoryListener.Accept()
}

// TestFailedAccept checks that a failed Accept is reported, but is not counted as a
// connection.
func TestFailedAccept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &failingListener{memoryListener: newMemoryListener()}
		f := newForward(l, func(context.Context) (net.Conn, error) { return nil, errors.New("connection refused") })
		f.start(t.Context())
		_, accepted := net.Pipe()
		l.conns <- accepted
		synctest.Wait() // the connection has failed
		if err := f.close(t.Context()); err != nil {
			t.Error(err)
		}
		const want = "1 of 1 connections through the tunnel failed and were reset. Last error: connection refused\n\n" +
			"The tunnel could not always accept connections. Last error: too many open files"
		if got := f.warning(); got != want {
			t.Errorf("warning %q, want %q", got, want)
		}
	})
}

// TestCloseWithHangingConnection checks that a connection that does not end, because its
// network is broken, does not block the close of the tunnel forever.
func TestCloseWithHangingConnection(t *testing.T) {
	t.Parallel()
	all := newTunnels(time.Minute)
	stuck := make(chan struct{})
	id, address := listen(t, all, func(context.Context) (net.Conn, error) {
		near, _ := net.Pipe()
		return hanging{near, stuck}, nil
	})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // the tunnel has closed the other end
	f := all.remove(id)
	eventually(t, "the connection to the target", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.conns) == 2
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := f.close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("closing: error %v, want %v", err, context.DeadlineExceeded)
	}
	close(stuck)
	ended := make(chan struct{})
	go func() {
		f.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the connections have not ended")
	}
}

// hanging is a connection whose Close blocks until stuck is closed.
type hanging struct {
	net.Conn
	stuck chan struct{}
}

func (h hanging) Close() error {
	<-h.stuck
	return h.Conn.Close()
}

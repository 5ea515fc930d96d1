package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// dialer connects to the target.
type dialer func(ctx context.Context) (net.Conn, error)

// forward is a listener whose connections are forwarded to the target.
type forward struct {
	listener net.Listener
	dial     dialer
	cancel   context.CancelFunc
	done     sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	conns     map[net.Conn]struct{}
	total     int // accepted connections
	failed    int
	last      error // error of the last failed connection
	acceptErr error // last error of Accept
}

func newForward(listener net.Listener, dial dialer) *forward {
	return &forward{listener: listener, dial: dial, conns: make(map[net.Conn]struct{})}
}

// start serves connections in the background until the tunnel is closed. The end of ctx ends
// attempts to connect to the target.
func (f *forward) start(ctx context.Context) {
	ctx, f.cancel = context.WithCancel(ctx)
	f.done.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // such as too many open files of the process
				f.mu.Lock()
				f.acceptErr = err
				f.mu.Unlock()
				_ = host.Sleep(ctx, 100*time.Millisecond) // ends early when the tunnel is closed
				continue
			}
			f.done.Go(func() { f.serve(ctx, conn) })
		}
	})
}

// serve forwards one connection, and returns when both directions have ended. If serve
// cannot connect to the target, it resets the connection.
func (f *forward) serve(ctx context.Context, local net.Conn) {
	if !f.add(local) {
		return
	}
	defer f.remove(local)
	f.count()
	remote, err := f.dial(ctx)
	if err != nil {
		f.fail(err)
		reset(local)
		return
	}
	if !f.add(remote) {
		return
	}
	defer f.remove(remote)
	var both sync.WaitGroup
	both.Go(func() { copyDirection(remote, local) })
	copyDirection(local, remote)
	both.Wait()
}

// copyDirection copies one direction until its end, and then closes to for writing. If a
// connection breaks, copyDirection resets both connections.
func copyDirection(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		reset(to)
		reset(from)
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // may fail if the peer has closed the connection
		return
	}
	_ = to.Close() // without CloseWrite, only the whole connection can be closed
}

// reset closes a connection. A TCP connection is reset, so that its data does not look
// complete to the peer.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // on an error, the connection is closed without a reset
	}
	_ = conn.Close() // the connection is discarded
}

// add records a connection that is closed with the tunnel. If the tunnel is already
// closed, it closes the connection and reports false.
func (f *forward) add(conn net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		reset(conn)
		return false
	}
	f.conns[conn] = struct{}{}
	return true
}

func (f *forward) remove(conn net.Conn) {
	_ = conn.Close() // fails if the connection is already closed
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, conn)
}

func (f *forward) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total++
}

func (f *forward) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed { // errors caused by closing are not counted
		f.failed++
		f.last = err
	}
}

// warning describes failed connections and failures to accept connections. It is empty if
// there were none.
func (f *forward) warning() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var texts []string
	if f.failed > 0 {
		texts = append(texts, fmt.Sprintf("%d of %d connections through the tunnel failed and were reset. Last error: %s", f.failed, f.total, f.last))
	}
	if f.acceptErr != nil {
		texts = append(texts, fmt.Sprintf("The tunnel could not always accept connections. Last error: %s", f.acceptErr))
	}
	return strings.Join(texts, "\n\n")
}

func (f *forward) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns) > 0
}

// close ends the tunnel with its connections, and waits for their end or that of ctx.
func (f *forward) close(ctx context.Context) error {
	err := f.listener.Close()
	f.mu.Lock()
	f.closed = true
	open := slices.Collect(maps.Keys(f.conns))
	f.mu.Unlock()
	f.cancel()
	ended := make(chan struct{})
	go func() {
		for _, conn := range open {
			reset(conn) // may block on a broken connection
		}
		f.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}

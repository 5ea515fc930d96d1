package tunnel

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// dialer connects to the target.
type dialer func(ctx context.Context) (net.Conn, error)

// forward is a listener whose connections are forwarded to the target.
type forward struct {
	listener net.Listener
	dial     dialer
	cancel   context.CancelFunc
	done     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
	served int // number of accepted connections
	failed int
	last   error // of the failed ones
}

func newForward(listener net.Listener, dial dialer) *forward {
	return &forward{listener: listener, dial: dial, conns: make(map[net.Conn]struct{})}
}

// start serves connections until the tunnel is closed or ctx ends.
func (f *forward) start(ctx context.Context) {
	ctx, f.cancel = context.WithCancel(ctx)
	f.done.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // an error of this connection, or too many open files
				f.count()
				f.fail(err)
				pause(ctx)
				continue
			}
			f.done.Go(func() { f.serve(ctx, conn) })
		}
	})
}

// pause waits before an operation is retried.
func pause(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// serve forwards one connection, and returns when both directions have ended.
func (f *forward) serve(ctx context.Context, local net.Conn) {
	if !f.keep(local) {
		return
	}
	defer f.drop(local)
	f.count()
	remote, err := f.dial(ctx)
	if err != nil {
		f.fail(err)
		reset(local)
		return
	}
	if !f.keep(remote) {
		return
	}
	defer f.drop(remote)
	var both sync.WaitGroup
	both.Go(func() { carry(remote, local) })
	carry(local, remote)
	both.Wait()
}

// carry copies one direction until its end. If the connection breaks, both directions
// end.
func carry(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		reset(to)
		reset(from)
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the peer may have closed it already
		return
	}
	_ = to.Close() // the peer may have closed it already
}

// reset closes a connection with an error for the peer, so that it does not look
// complete.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: it is closed in any case
	}
	_ = conn.Close() // no more data is needed
}

// keep records a connection that is closed with the tunnel. If the tunnel is closed
// already, it closes the connection and reports false.
func (f *forward) keep(conn net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		reset(conn)
		return false
	}
	f.conns[conn] = struct{}{}
	return true
}

func (f *forward) drop(conn net.Conn) {
	_ = conn.Close() // it may have ended already
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, conn)
}

func (f *forward) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.served++
}

func (f *forward) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed { // errors due to closing are not recorded
		f.failed++
		f.last = err
	}
}

// failures returns the number of failed connections, of all connections, and the last
// error.
func (f *forward) failures() (failed, of int, last error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed, f.served, f.last
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
			reset(conn) // this may be slow if the connection is broken
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

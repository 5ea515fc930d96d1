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

// forward is a listener, each connection of which goes on to the target.
type forward struct {
	listener net.Listener
	dial     dialer
	cancel   context.CancelFunc
	done     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
	served int // connections that came
	failed int
	last   error // of the failed ones
}

func newForward(listener net.Listener, dial dialer) *forward {
	return &forward{listener: listener, dial: dial, conns: make(map[net.Conn]struct{})}
}

// start serves until close, or until ctx ends.
func (f *forward) start(ctx context.Context) {
	ctx, f.cancel = context.WithCancel(ctx)
	f.done.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // of that connection, or of a process with too many files open
				f.count()
				f.fail(err)
				pause(ctx)
				continue
			}
			f.done.Go(func() { f.serve(ctx, conn) })
		}
	})
}

// pause lets a moment pass after what may go wrong again at once.
func pause(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// serve takes one connection on to the target, and is there until both have ended.
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

// carry takes one direction, up to its end. That of a connection that breaks is the
// end of both.
func carry(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		reset(to)
		reset(from)
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // where the other side has ended already
		return
	}
	_ = to.Close() // where the other side has ended already
}

// reset ends a connection so that the other side does not take it for the end of
// what was to be said.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: it is closed in any case
	}
	_ = conn.Close() // nothing more is wanted of it
}

// keep notes a connection, to be closed with the tunnel, and closes it at once where
// that is closed already.
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
	if !f.closed { // what fails because of that is no news
		f.failed++
		f.last = err
	}
}

// failures are how many connections could not be made, of how many, and why the
// last of them.
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

// close ends the tunnel and all that goes through it, and waits for the end unless
// ctx ends before.
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
			reset(conn) // on a link that has broken this may take its time
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

package conn

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// connection is an authenticated connection.
type connection struct {
	ssh  *ssh.Client
	wire *wire
	lost chan struct{} // closed when all channels have ended

	prompted atomic.Bool // see prompt
}

// alive reports whether the connection can be used.
func (c *connection) alive() bool { return c.wire.cause() == nil }

// err returns why the connection ended, or nil. It is set before any channel ends for
// that reason.
func (c *connection) err() error {
	if cause := c.wire.cause(); cause != nil {
		return &lostError{cause}
	}
	return nil
}

// ask returns why the connection ended, after a request to the server: a server that
// disconnects ends the channels before the connection.
func (c *connection) ask() error {
	if _, _, err := c.ssh.SendRequest(keepAliveRequest, true, nil); err != nil {
		c.end(err)
	}
	return c.err()
}

// keepAliveRequest is a request that every server answers.
const keepAliveRequest = "keepalive@openssh.com"

// end ends the connection for a reason.
func (c *connection) end(cause error) { c.wire.end(cause) }

// watch waits for the end of the connection.
func (c *connection) watch() {
	c.wire.end(c.ssh.Wait())
	close(c.lost)
}

// keepAlive sends a request whenever nothing came for a while, and ends the connection
// after count requests without an answer.
func (c *connection) keepAlive(after time.Duration, count int) {
	var asking sync.WaitGroup
	defer asking.Wait()
	var pending atomic.Bool
	asked := 0 // since something was heard
	heard := c.wire.heard.Load()
	timer := time.NewTimer(after)
	defer timer.Stop()
	for {
		select {
		case <-c.lost:
			return
		case <-timer.C:
		}
		// A quick answer is as old as the question by now: what counts is that it came.
		if now := c.wire.heard.Load(); now != heard {
			asked, heard = 0, now
		}
		if silent := c.wire.silent(); silent < after {
			timer.Reset(after - silent)
			continue
		}
		if asked == count {
			c.end(fmt.Errorf("it gave no sign of life for %s", c.wire.silent().Round(time.Millisecond)))
			return
		}
		asked++
		// One question is enough: what is sent twice waits behind what was sent once.
		if pending.CompareAndSwap(false, true) {
			asking.Go(func() {
				_, _, _ = c.ssh.SendRequest(keepAliveRequest, true, nil) // any answer is a sign of life
				pending.Store(false)
			})
		}
		timer.Reset(after)
	}
}

// wire is the network connection. It records when data came last, and the first error,
// which is known here before it is known above.
type wire struct {
	net.Conn
	begun time.Time
	heard atomic.Int64 // since begun; zero is never
	why   atomic.Pointer[error]
}

func newWire(conn net.Conn) *wire { return &wire{Conn: conn, begun: time.Now()} }

// Read implements [io.Reader].
func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.heard.Store(int64(max(time.Since(w.begun), 1)))
	}
	if err != nil {
		w.note(err)
	}
	return n, err
}

// Write implements [io.Writer].
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if err != nil {
		w.note(err)
	}
	return n, err
}

// silent returns for how long nothing has come.
func (w *wire) silent() time.Duration { return time.Since(w.begun) - time.Duration(w.heard.Load()) }

func (w *wire) note(cause error) {
	if cause == nil {
		cause = net.ErrClosed
	}
	w.why.CompareAndSwap(nil, &cause) // the first cause is the cause
}

func (w *wire) cause() error {
	if why := w.why.Load(); why != nil {
		return *why
	}
	return nil
}

// end closes it for a reason.
func (w *wire) end(cause error) {
	w.note(cause)
	if err := w.Conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		w.note(err)
	}
}

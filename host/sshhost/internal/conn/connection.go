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

// connection is one authenticated connection. After its end, [Conn] opens a new one on the next
// use.
type connection struct {
	ssh  *ssh.Client
	wire *wire
	lost chan struct{} // closed when all channels have ended

	avoidedDelay atomic.Bool // see avoidDelayedAck
}

// alive reports whether the connection is usable.
func (c *connection) alive() bool { return c.wire.cause() == nil }

// err returns the reason why the connection ended, or nil. It is set before any channel
// ends because of it, unless the server disconnects: see ping.
func (c *connection) err() error {
	if cause := c.wire.cause(); cause != nil {
		return &lostError{cause}
	}
	return nil
}

// ping sends a request and returns the reason if the connection has ended. When a server
// disconnects, its channels end before the connection does.
func (c *connection) ping() error {
	if _, _, err := c.ssh.SendRequest(keepAliveRequest, true, nil); err != nil {
		c.end(err)
	}
	return c.err()
}

// keepAliveRequest is a global request that every server replies to.
const keepAliveRequest = "keepalive@openssh.com"

// end closes the connection with a cause.
func (c *connection) end(cause error) { c.wire.end(cause) }

// abandon is end for a server that does not respond. On a direct TCP connection, data that was not
// delivered is discarded: the kernel would otherwise continue to send it, and a request could take
// effect after it was repeated on a new connection.
func (c *connection) abandon(cause error) {
	if g, ok := c.wire.Conn.(*greetedConn); ok {
		if tcp, ok := g.Conn.(*net.TCPConn); ok { // other connections have no such option
			_ = tcp.SetLinger(0) // it fails only if the connection has ended
		}
	}
	c.end(cause)
}

// watch waits until the connection ends, records the reason and closes lost.
func (c *connection) watch() {
	c.wire.end(c.ssh.Wait())
	close(c.lost)
}

// keepAlive sends a request whenever nothing has been received for the duration after, unless one
// is pending. It closes the connection if nothing is received for count more such intervals.
func (c *connection) keepAlive(after time.Duration, count int) {
	var asking sync.WaitGroup
	defer asking.Wait()
	var pending atomic.Bool
	sent := 0 // intervals since data was last received, each with a request sent or pending
	received := c.wire.received.Load()
	timer := time.NewTimer(after)
	defer timer.Stop()
	for {
		select {
		case <-c.lost:
			return
		case <-timer.C:
		}
		// The last data may be older than the interval although it was received after the
		// request.
		if now := c.wire.received.Load(); now != received {
			sent, received = 0, now
		}
		if idle := c.wire.idleTime(); idle < after {
			timer.Reset(after - idle)
			continue
		}
		if sent == count {
			c.abandon(fmt.Errorf("the server sent nothing for %s", c.wire.idleTime().Round(time.Millisecond)))
			return
		}
		sent++
		// One pending request is enough: a second one would queue behind the first.
		if pending.CompareAndSwap(false, true) {
			asking.Go(func() {
				_, _, _ = c.ssh.SendRequest(keepAliveRequest, true, nil) // any reply shows that the server is alive
				pending.Store(false)
			})
		}
		timer.Reset(after)
	}
}

// wire is the network connection. It records when data was last received, and the first
// error, before the SSH layer gets it.
type wire struct {
	net.Conn
	begun    time.Time
	received atomic.Int64 // nanoseconds since begun; zero before the first read
	why      atomic.Pointer[error]
}

func newWire(conn net.Conn) *wire { return &wire{Conn: conn, begun: time.Now()} }

// Read implements [io.Reader].
func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.received.Store(int64(max(time.Since(w.begun), 1)))
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

// idleTime returns the time since data was last received.
func (w *wire) idleTime() time.Duration {
	return time.Since(w.begun) - time.Duration(w.received.Load())
}

func (w *wire) note(cause error) {
	if cause == nil {
		cause = net.ErrClosed
	}
	w.why.CompareAndSwap(nil, &cause) // only the first cause is kept
}

func (w *wire) cause() error {
	if why := w.why.Load(); why != nil {
		return *why
	}
	return nil
}

// end closes the network connection with a cause.
func (w *wire) end(cause error) {
	w.note(cause)
	if err := w.Conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		w.note(err)
	}
}

// ErrNoReply is the cause of a lost connection whose server did not reply to the request for a
// session or program, or whose program did not reply: see [Conn.ExpectReply]. Repeating the request does
// not help.
var ErrNoReply = errors.New("the server did not reply")

const (
	// maxQueueing limits the additional time for a request that is queued behind other data,
	// as a multiple of ConnectTimeout.
	maxQueueing = 10
	// noticeTime is how long a caller may take to react to a reply that has been received.
	noticeTime = time.Second
)

// expectReply ends the connection if received is not called within limit. A slow line may still
// be carrying data that was sent before the request, so expectReply then also waits, for a
// limited time, for the reply to a later request: a server replies in order.
func (c *connection) expectReply(limit time.Duration, step string) (received func()) {
	if limit <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		later := make(chan struct{})
		go func() {
			_, _, _ = c.ssh.SendRequest(keepAliveRequest, true, nil) // an error means that the connection has ended
			close(later)
		}()
		wait := time.NewTimer(maxQueueing * limit)
		defer wait.Stop()
		select {
		case <-done:
			return
		case <-later:
			wait.Reset(noticeTime)
			select {
			case <-done:
				return
			case <-wait.C:
			}
		case <-wait.C:
		}
		c.abandon(fmt.Errorf("%w within %s %s", ErrNoReply, limit, step))
	})
	return func() {
		timer.Stop()
		close(done)
	}
}

// ExpectReply ends the connection unless received is called within ConnectTimeout, or within a longer time
// if the connection is slow. The caller calls received after the first output of a program. step is the
// end of the message "the server did not reply within …", such as "to the start of SFTP".
func (c *Conn) ExpectReply(step string) (received func()) {
	c.mu.Lock()
	conn := c.current
	c.mu.Unlock()
	if conn == nil {
		return func() {}
	}
	return conn.expectReply(c.options.ConnectTimeout, step)
}

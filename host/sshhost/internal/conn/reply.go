package conn

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoReply is the cause of a lost connection whose server did not reply to the start of a
// session or program. To start it again is of no use.
var ErrNoReply = errors.New("the server did not reply")

const (
	// maxQueueing limits how much longer than ConnectTimeout a request may be delayed by the
	// data before it, as a multiple.
	maxQueueing = 10
	// noticing is how long a caller may take to notice a reply that has been received.
	noticing = time.Second
)

// expectReply ends the connection if received is not called within ConnectTimeout. A slow line
// may still be carrying data that was sent before the request; therefore the server must
// also have replied to a later request, which it does in order.
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
			wait.Reset(noticing)
			select {
			case <-done:
				return
			case <-wait.C:
			}
		case <-wait.C:
		}
		c.end(fmt.Errorf("%w within %s %s", ErrNoReply, limit, step))
	})
	return func() {
		timer.Stop()
		close(done)
	}
}

// ExpectReply ends the connection if received is not called within ConnectTimeout, or later
// if the line is slow: for the first output of a program. Its step follows "the server did not
// reply", such as "to the start of SFTP".
func (c *Conn) ExpectReply(step string) (received func()) {
	c.mu.Lock()
	conn := c.current
	c.mu.Unlock()
	if conn == nil {
		return func() {}
	}
	return conn.expectReply(c.options.ConnectTimeout, step)
}

package sftp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// Client is a session with a server. [New] makes one.
type Client struct {
	conn       io.ReadWriteCloser
	extensions map[Extension]bool
	limits     atomic.Pointer[Limits] // nil until the server has sent them

	wake chan struct{} // signals that out is not empty
	done chan struct{} // closed when lost is set

	silence *time.Timer // runs while requests are pending; ends the session when it fires

	mu      sync.Mutex
	lost    *LostError
	nextID  uint32
	pending map[uint32]call
	out     []byte        // frames to be written
	room    chan struct{} // closed when out or pending shrinks; nil if no sender waits
}

// call is a request that waits for its reply. The goroutine that removes the call from
// Client.pending calls either receive or fail, exactly once. If receive fails, that goroutine calls fail, too.
type call interface {
	// receive decodes the reply. It returns an error if the reply is invalid.
	receive(kind byte, body []byte) error
	fail(err error)
	// orphan returns the call's replacement in pending when the reply is no longer needed.
	orphan(c *Client) call
	// number returns a pointer to the call's request ID, which is guarded by the client's lock.
	number() *uint32
}

const (
	maxQueued  = 512 << 10 // limit of out in bytes, except for a single larger batch
	maxPending = 1 << 16   // limit of the requests without a reply, with the same exception
)

// New starts a session over conn, which the client owns from then on: if New fails, conn is
// closed. Closing conn must make its Read and Write return.
func New(ctx context.Context, conn io.ReadWriteCloser) (*Client, error) {
	c := &Client{
		conn:    conn,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		pending: map[uint32]call{},
	}
	type version struct {
		extensions map[Extension]bool
		err        error
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	shaken := make(chan version, 1)
	go func() {
		var v version
		defer func() {
			if fault := recover(); fault != nil {
				v.err = broken("the version packet caused a panic of the provider: %v; please report this", fault)
			}
			shaken <- v
		}()
		v.extensions, v.err = handshake(conn, in)
	}()
	select {
	case <-ctx.Done():
		_ = conn.Close() // the context's error is more useful
		<-shaken
		return nil, ctx.Err()
	case v := <-shaken:
		if v.err != nil {
			_ = conn.Close() // the session was never established
			return nil, fmt.Errorf("begin an SFTP session: %w", v.err)
		}
		c.extensions = v.extensions
	}
	c.silence = time.AfterFunc(remote.ReplyTimeout, func() { _ = c.endBy(remote.ErrSilent) }) // wakes the callers
	c.silence.Stop()
	go c.read(in)
	go c.write()
	c.requestLimits()
	return c, nil
}

// handshake exchanges versions, and returns the extensions of the server that this client supports.
func handshake(out io.Writer, in *bufio.Reader) (map[Extension]bool, error) {
	hello := appendUint32([]byte{0, 0, 0, 5, fxpInit}, protocolVersion)
	if _, err := out.Write(hello); err != nil {
		return nil, err
	}
	first, err := in.Peek(5)
	if err != nil {
		return nil, noHello(err)
	}
	n := binary.BigEndian.Uint32(first)
	if n < minVersion || n > maxPacket || first[4] != fxpVersion {
		return nil, noVersion(in)
	}
	packet := make([]byte, 4+n)
	if _, err := io.ReadFull(in, packet); err != nil {
		return nil, noHello(err)
	}
	d := decoder{rest: packet[5:]}
	if version := d.uint32(); d.err == nil && version < protocolVersion {
		return nil, fmt.Errorf("the server offers SFTP version %d, but version %d is required", version, protocolVersion)
	}
	extensions := map[Extension]bool{}
	for d.err == nil && len(d.rest) > 0 {
		name, revision := Extension(d.text()), d.text()
		if known, ok := extensionVersions[name]; ok && known == revision {
			extensions[name] = true
		}
	}
	return extensions, d.err
}

func noHello(err error) error {
	return fmt.Errorf("the server closed the session before it sent its SFTP version: %w. Check that it offers SFTP", err)
}

// noVersion returns the error for a first packet that is not a version packet. It recognises
// the most frequent cause: start-up files of the login shell print text before the server
// starts.
func noVersion(in *bufio.Reader) error {
	text, _ := in.Peek(min(in.Buffered(), 60)) // at least the five bytes that handshake has buffered
	binary := func(r rune) bool { return r != '\n' && r != '\r' && r != '\t' && r != 0x1b && (r < ' ' || r > '~') }
	if !bytes.ContainsFunc(text[:4], binary) {
		return fmt.Errorf("received the text %q instead of SFTP: start-up files of the user's shell must print nothing "+
			"in non-interactive sessions", text)
	}
	return broken("the first packet is not a version packet")
}

// Has reports whether the server offers an extension in the version that the client supports.
func (c *Client) Has(ext Extension) bool { return c.extensions[ext] }

// Done returns a channel that is closed when the session ends.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns the [*LostError] of a session that has ended, or nil.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		return nil
	}
	return c.lost
}

// Close ends the session. Pending requests fail with a [*LostError].
func (c *Client) Close() error {
	_, err := c.end(errClosedHere)
	return err
}

// end ends the session with a cause, unless it has ended. It returns the session's error, and that
// of closing conn.
func (c *Client) end(cause error) (*LostError, error) {
	c.mu.Lock()
	if lost := c.lost; lost != nil {
		c.mu.Unlock()
		return lost, nil
	}
	lost := &LostError{Err: cause}
	pending := c.pending
	c.lost, c.pending, c.out = lost, map[uint32]call{}, nil
	c.silence.Stop()
	close(c.done)
	c.mu.Unlock()
	for _, waiting := range pending {
		waiting.fail(lost)
	}
	return lost, c.conn.Close()
}

// endBy is end without the error of closing conn.
func (c *Client) endBy(cause error) *LostError {
	lost, _ := c.end(cause) // errors of closing add nothing to the cause
	return lost
}

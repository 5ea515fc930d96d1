package sftp

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// queued is a call and the offset of its frame.
type queued struct {
	call
	at int
}

// send queues frames as one piece and fills in their request IDs. It waits while the queue
// is full; if ctx or the session ends first, nothing is queued.
func (c *Client) send(ctx context.Context, frames []byte, calls ...queued) error {
	for {
		room, err := c.trySend(frames, calls)
		if room == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-room:
		case <-c.done:
		}
	}
}

// trySend queues frames, or returns a channel to wait on if the queue is full.
func (c *Client) trySend(frames []byte, calls []queued) (<-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, c.lost
	}
	// Frames larger than the limit are queued if the queue is empty.
	if len(c.out) > 0 && len(c.out)+len(frames) > maxQueued ||
		len(c.pending) > 0 && len(c.pending)+len(calls) > maxPending {
		if c.room == nil {
			c.room = make(chan struct{})
		}
		return c.room, nil
	}
	c.enqueue(frames, calls)
	return nil, nil
}

// enqueue appends frames to out, and adds the calls to pending with new request IDs. The caller
// holds the lock.
func (c *Client) enqueue(frames []byte, calls []queued) {
	if len(c.pending) == 0 {
		c.silence.Reset(remote.ReplyTimeout)
	}
	start := len(c.out)
	c.out = append(grown(c.out, len(frames)), frames...)
	for _, q := range calls {
		for taken := true; taken; _, taken = c.pending[c.nextID] {
			c.nextID++
		}
		binary.BigEndian.PutUint32(c.out[start+q.at+5:], c.nextID)
		*q.number() = c.nextID
		c.pending[c.nextID] = q.call
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// grown returns b with capacity for n more bytes. The capacity grows in a few large steps.
func grown(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	return slices.Grow(b, 1<<bits.Len(uint(need))-len(b))
}

// signalRoom wakes waiters after out or pending has shrunk. The caller holds the lock.
func (c *Client) signalRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

// write is the loop that writes queued frames, all at once.
func (c *Client) write() {
	var spare []byte
	for {
		select {
		case <-c.done:
			return
		case <-c.wake:
		}
		c.mu.Lock()
		out := c.out
		if len(out) == 0 { // the frames were written in the previous iteration
			c.mu.Unlock()
			continue
		}
		c.out = spare[:0]
		c.signalRoom()
		c.mu.Unlock()
		if _, err := c.conn.Write(out); err != nil {
			_ = c.endBy(err) // wakes the callers
			return
		}
		clear(out) // contents may be secret: leave none in memory
		spare = out
	}
}

// read is the loop that reads replies and passes each to its call.
func (c *Client) read(in *bufio.Reader) {
	var packet []byte
	for {
		var err error
		if packet, err = readPacket(in, packet); err == nil {
			err = c.deliver(packet)
		}
		if err != nil {
			_ = c.endBy(err) // wakes the callers
			return
		}
	}
}

// readPacket reads one packet without its length, into old if it is large enough.
func readPacket(in *bufio.Reader, old []byte) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the server must not end the session
		}
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(length[:]))
	if n < 5 || n > maxPacket {
		return nil, broken("invalid packet length %d", uint32(n)) //nolint:gosec // converted from a uint32
	}
	packet := slices.Grow(old[:0], n)[:n]
	_, err := io.ReadFull(in, packet)
	return packet, err
}

// deliver passes a reply to its call. If the call panics because of an unexpected reply, only
// this session ends.
func (c *Client) deliver(packet []byte) (err error) {
	kind, id, body := packet[0], binary.BigEndian.Uint32(packet[1:]), packet[5:]
	c.mu.Lock()
	waiting, ok := c.pending[id]
	delete(c.pending, id)
	if len(c.pending) == 0 {
		c.silence.Stop()
	} else {
		c.silence.Reset(remote.ReplyTimeout)
	}
	c.signalRoom()
	c.mu.Unlock()
	if !ok {
		if c.Err() != nil {
			return c.Err()
		}
		return broken("a reply to the unknown request %d", id)
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = broken("a reply of type %d caused a panic of the provider: %v; please report this", kind, fault)
		}
		if err != nil {
			waiting.fail(c.endBy(err))
		}
	}()
	return waiting.receive(kind, body)
}

// abandon puts an orphan in the place of each call that is pending, and passes the replaced call to
// the function each. Calls that are not pending were not sent, have their reply or are receiving it.
func (c *Client) abandon(calls []queued, each func(call)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range calls {
		id := *q.number()
		if waiting, ok := c.pending[id]; ok && waiting == q.call {
			c.pending[id] = q.orphan(c)
			each(q.call)
		}
	}
}

// orphan receives the reply to an abandoned request.
type orphan struct {
	client *Client
	opens  bool // close the file that the reply opens
	id     uint32
}

func (o *orphan) receive(kind byte, body []byte) error {
	if !o.opens || kind != fxpHandle {
		return nil
	}
	d := decoder{rest: body}
	handle := d.handle()
	if d.err == nil {
		o.client.closeHandle(handle)
	}
	return d.err
}

func (o *orphan) fail(error)          {}
func (o *orphan) orphan(*Client) call { return o }
func (o *orphan) number() *uint32     { return &o.id }

func (d *decoder) handle() string {
	b := d.bytes()
	if d.err == nil && len(b) > maxHandle {
		d.err = broken("invalid handle length %d", len(b))
	}
	return string(b)
}

// closeHandle closes a file without waiting for the reply or for room in the queue: the
// caller must not block, and there are at most as many calls as open files.
func (c *Client) closeHandle(handle string) {
	frame := newFrame(nil, fxpClose)
	frame = appendText(frame, handle)
	seal(frame, 0)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.enqueue(frame, []queued{{call: &orphan{client: c}}})
	}
}

// newFrame begins a request at the end of b; seal ends it.
func newFrame(b []byte, kind byte) []byte { return append(b, 0, 0, 0, 0, kind, 0, 0, 0, 0) }

func seal(b []byte, at int) {
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4)) //nolint:gosec // Batch rejects longer ones
}

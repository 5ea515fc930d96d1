package sftp

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
)

// queued is a call and where its frame begins among those it is sent with.
type queued struct {
	call
	at int
}

// send queues frames, whose request IDs it fills in, as one piece. It waits while too
// much is queued; if ctx ends then, nothing was queued.
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

// trySend returns what to wait for if there is no room.
func (c *Client) trySend(frames []byte, calls []queued) (<-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, c.lost
	}
	// What is larger than the bounds is taken when nothing else is there.
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

// enqueue appends frames to out. The lock is held.
func (c *Client) enqueue(frames []byte, calls []queued) {
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

// grown returns b with room for n more bytes. It grows in few large steps.
func grown(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	return slices.Grow(b, 1<<bits.Len(uint(need))-len(b))
}

// signalRoom is called when out or pending got shorter. The lock is held.
func (c *Client) signalRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

// write is the loop that writes what is queued, all of it at once.
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
		if len(out) == 0 { // what woke it was written with what went before
			c.mu.Unlock()
			continue
		}
		c.out = spare[:0]
		c.signalRoom()
		c.mu.Unlock()
		if _, err := c.conn.Write(out); err != nil {
			_ = c.endBy(err) // for the callers that wait
			return
		}
		clear(out) // contents are secrets: none stays behind in memory
		spare = out
	}
}

// read is the loop that reads answers and passes each to its call.
func (c *Client) read(in *bufio.Reader) {
	var packet []byte
	for {
		var err error
		if packet, err = readPacket(in, packet); err == nil {
			err = c.answer(packet)
		}
		if err != nil {
			_ = c.endBy(err) // for the callers that wait
			return
		}
	}
}

// readPacket reads one packet without its length, into old if that is large enough.
func readPacket(in *bufio.Reader, old []byte) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // it was this side's to end the session
		}
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(length[:]))
	if n < 5 || n > maxPacket {
		return nil, broken("a packet of %d bytes", uint32(n)) //nolint:gosec // it was one
	}
	packet := slices.Grow(old[:0], n)[:n]
	_, err := io.ReadFull(in, packet)
	return packet, err
}

func (c *Client) answer(packet []byte) error {
	kind, id, body := packet[0], binary.BigEndian.Uint32(packet[1:]), packet[5:]
	c.mu.Lock()
	waiting, ok := c.pending[id]
	delete(c.pending, id)
	c.signalRoom()
	c.mu.Unlock()
	if !ok {
		if c.Err() != nil {
			return c.Err()
		}
		return broken("an answer to request %d, which was not asked", id)
	}
	err := waiting.receive(kind, body)
	if err != nil {
		waiting.fail(c.endBy(err))
	}
	return err
}

// abandon replaces calls that nobody waits for any more. The others were answered, or
// are just being.
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

// orphan awaits the answer to an abandoned request.
type orphan struct {
	client *Client
	opens  bool // what it opens is closed
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
		d.err = broken("a handle of %d bytes", len(b))
	}
	return string(b)
}

// closeHandle closes a file and waits neither for the answer nor for room: it is called
// where nothing may wait, and no more often than files were opened.
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
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4)) //nolint:gosec // maxFrame is less
}

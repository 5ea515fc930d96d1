package sftp

import (
	"context"
	"io"
	"slices"
)

// Reader reads a file sequentially and requests at most 2 MiB ahead.
type Reader struct {
	ctx    context.Context //nolint:containedctx // the reader is a part of the call that began it
	client *Client
	file   *File

	chunk int    // bytes per request
	size  uint64 // presumed size of the file
	next  uint64 // offset of the next request
	// beyond limits the outstanding requests past size: one to detect the end of the file,
	// more while there is data.
	beyond int

	asked []*readCall // outstanding requests in order
	head  *readCall   // the reply that is being read
	rest  []byte      // unread data of head
	free  []*readCall
	frame []byte
	err   error
}

// NewReader starts reading an open file from an offset. The caller must call
// [Reader.Close], which closes the file. Once ctx has ended, Read returns at most the rest of the
// current reply, and then fails. size is the presumed size of the file: the data up to size, but at
// most 2 MiB, is requested at once, followed by one request to detect the end if the limit allows it.
func (c *Client) NewReader(ctx context.Context, f *File, offset, size uint64) *Reader {
	r := &Reader{
		ctx: ctx, client: c, file: f, next: offset, size: size, beyond: 1,
		chunk: chunk(func(l *Limits) uint64 { return l.Read }, c),
	}
	r.request()
	return r
}

// request sends read requests until the window is full, or enough of them are past the presumed
// end. It stores an error in err.
func (r *Reader) request() {
	for r.err == nil && len(r.asked) < window/defaultChunk {
		n := r.chunk
		if r.next < r.size {
			n = int(min(uint64(n), r.size-r.next)) //nolint:gosec // at most n
		} else if r.outstanding(r.size) >= r.beyond {
			return
		}
		if len(r.asked) > 0 && r.asked[0].offset+window < r.next+uint64(n) {
			return
		}
		if err := r.send(n); err != nil {
			r.err = err
		}
	}
}

// outstanding returns the number of outstanding requests at or after an offset.
func (r *Reader) outstanding(from uint64) int {
	n := 0
	for _, asked := range slices.Backward(r.asked) {
		if asked.offset < from {
			break
		}
		n++
	}
	return n
}

func (r *Reader) send(n int) error {
	asked := &readCall{path: r.file.path, ended: make(chan struct{}, 1)}
	if last := len(r.free) - 1; last >= 0 {
		asked, r.free = r.free[last], r.free[:last]
	}
	asked.offset, asked.want, asked.got, asked.err = r.next, n, 0, nil
	if cap(asked.buffer) < n {
		asked.buffer = make([]byte, n)
	}
	r.frame = newFrame(r.frame[:0], fxpRead)
	r.frame = appendUint64(appendText(r.frame, r.file.handle), r.next)
	r.frame = appendUint32(r.frame, uint32(n)) //nolint:gosec // at most maxChunk
	seal(r.frame, 0)
	if err := r.client.send(r.ctx, r.frame, queued{call: asked}); err != nil {
		return err
	}
	r.next += uint64(n) //nolint:gosec // not negative
	r.asked = append(r.asked, asked)
	return nil
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 {
		if r.err == nil {
			r.err = r.ctx.Err()
		}
		if r.err == nil {
			r.err = r.advance()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// advance sends more requests and waits for the next reply.
func (r *Reader) advance() error {
	if r.head != nil {
		r.free = append(r.free, r.head)
		r.head = nil
	}
	r.request()
	if r.err != nil {
		return r.err
	}
	head := r.asked[0]
	select {
	case <-head.ended:
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	r.asked = r.asked[:copy(r.asked, r.asked[1:])]
	r.head = head
	if head.err != nil {
		return head.err
	}
	r.rest = head.buffer[:head.got]
	switch {
	case head.got < head.want:
		r.resume(head)
	case head.offset >= r.size:
		r.beyond = min(2*r.beyond, window/r.chunk)
	}
	return nil
}

// resume continues after a reply that is shorter than requested, by requesting the gap and
// everything after it again.
func (r *Reader) resume(short *readCall) {
	r.abandon()
	r.next = short.offset + uint64(short.got) //nolint:gosec // not negative
	r.beyond = 1
	if short.offset < r.size && short.want == r.chunk { // the server's limit is lower, or the file is shorter
		r.chunk = max(short.got, 1<<10)
	}
}

// abandon fails the outstanding requests; the client ignores their replies.
func (r *Reader) abandon() {
	calls := make([]queued, len(r.asked))
	for i, asked := range r.asked {
		calls[i].call = asked
	}
	r.client.abandon(calls, func(waiting call) { waiting.fail(errNotSent) })
	for _, asked := range r.asked {
		<-asked.ended // waits only for replies that are being decoded
		r.free = append(r.free, asked)
	}
	r.asked = r.asked[:0]
}

// Close ends reading and closes the file, without waiting for the reply.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	r.abandon()
	r.file.Discard()
	r.file, r.rest, r.free, r.err = nil, nil, nil, io.ErrClosedPipe
	return nil
}

// readCall is a request for a part of a file.
type readCall struct {
	path      string
	offset    uint64
	want, got int
	buffer    []byte
	err       error
	ended     chan struct{} // of capacity 1
	id        uint32
}

func (a *readCall) receive(kind byte, body []byte) error {
	d := decoder{rest: body}
	switch kind {
	case fxpData:
		data := d.bytes()
		switch {
		case d.err != nil:
			return d.err
		case len(data) == 0 || len(data) > a.want:
			return broken("a read returned %d bytes, although %d were requested", len(data), a.want)
		}
		a.got = copy(a.buffer, data)
	case fxpStatus:
		switch code, message := d.status(); {
		case d.err != nil:
			return d.err
		case code == CodeEOF:
			a.err = io.EOF
		case code == CodeOK:
			return broken("the reply to a read is a success status without data")
		default:
			a.err = &StatusError{Op: "read", Path: a.path, Code: code, Message: message, open: true}
		}
	default:
		return broken("the reply to a read is a packet of type %d", kind)
	}
	a.ended <- struct{}{}
	return nil
}

func (a *readCall) fail(err error) {
	a.err = err
	a.ended <- struct{}{}
}

func (a *readCall) orphan(c *Client) call { return &orphan{client: c} }
func (a *readCall) number() *uint32       { return &a.id }

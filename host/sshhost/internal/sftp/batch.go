package sftp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
)

// Batch is a list of requests that are sent in order and awaited together. [Client.Batch] makes
// one, methods such as [Batch.Open] add a request and return its [Reply] or [Upload], and
// [Batch.Do] sends the batch, once. A server executes requests about the same file in order and
// continues after one that fails.
type Batch struct {
	client  *Client
	frames  *[]byte
	calls   []queued
	inline  [6]queued // enough for most batches
	uploads []*Upload
	replies []interface{ problem() error }
	first   [6]interface{ problem() error }
	err     error // why the batch cannot be sent

	begun int          // number of calls that were sent or skipped
	left  atomic.Int32 // replies outstanding, plus one until the batch is sent
	over  chan struct{}
	sent  bool
}

// Batch returns an empty batch.
func (c *Client) Batch() *Batch {
	b := &Batch{client: c, frames: frames.Get().(*[]byte), over: make(chan struct{})}
	b.calls, b.replies = b.inline[:0], b.first[:0]
	b.left.Store(1)
	return b
}

var frames = sync.Pool{New: func() any { b := make([]byte, 0, 1<<10); return &b }}

// maxFrame is the limit in bytes of a request other than a write. According to the protocol, every
// server should accept 34000 bytes.
const maxFrame = 34000

// Reply is the reply to one request. It is set once the batch is done.
type Reply[T any] struct {
	Value T     // zero if Err is not nil
	Err   error // a [*StatusError], or the reason why there is no reply

	batch  *Batch
	op     string
	path   string
	want   byte  // expected packet type
	open   bool  // see [StatusError]
	closes *File // closed by this request
	decode func(r *request, d *decoder) T
	id     uint32
}

// request has the data that is needed to decode a reply.
type request struct {
	client *Client
	path   string
}

// None is the value of a reply without data.
type None struct{}

// Do sends the batch that the reply belongs to, waits, and returns the value of the reply. The error
// is that of [Batch.Do] or of the reply.
func (r *Reply[T]) Do(ctx context.Context) (T, error) {
	if err := r.batch.Do(ctx); err != nil {
		return r.Value, err
	}
	return r.Value, r.Err
}

func (r *Reply[T]) problem() error { return r.Err }

func (r *Reply[T]) number() *uint32 { return &r.id }

func (r *Reply[T]) fail(err error) {
	r.Err = err
	r.batch.finish()
}

func (r *Reply[T]) orphan(c *Client) call {
	return &orphan{client: c, opens: r.want == fxpHandle}
}

func (r *Reply[T]) receive(kind byte, body []byte) error {
	d := decoder{rest: body}
	switch {
	case kind == fxpStatus:
		code, message := d.status()
		switch {
		case d.err != nil:
			return d.err
		case code != CodeOK:
			r.Err = &StatusError{Op: r.op, Path: r.path, Code: code, Message: message, open: r.open}
		case r.want != fxpStatus:
			return broken("the reply to %s is a success status without data", r.op)
		}
	case kind != r.want:
		return broken("the reply to %s is a packet of type %d", r.op, kind)
	default:
		if r.Value = r.decode(&request{r.batch.client, r.path}, &d); d.err != nil {
			var none T
			r.Value = none
			return d.err
		}
	}
	r.batch.finish()
	return nil
}

// Do sends the batch and waits for all replies. It returns an error if a request is invalid, the
// batch was sent before, the context or the session ended, or reading the content of
// [Batch.WriteFrom] failed; errors of the server are in the replies. Replies that arrived before
// the context ended are kept, so that an opened file can be closed.
func (b *Batch) Do(ctx context.Context) error {
	if err := b.Start(ctx); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Start sends the batch. Unless Start fails, the caller must call Wait before it uses the replies.
func (b *Batch) Start(ctx context.Context) (err error) {
	if b.sent {
		return errTwice
	}
	b.sent = true
	complete := false
	defer func() { // even if the content's reader panics
		clear(*b.frames)
		*b.frames = (*b.frames)[:0]
		frames.Put(b.frames)
		b.frames = new([]byte) // requests that are added by mistake must not change a buffer of the pool
		if !complete {
			b.skip(cmp.Or(err, errNotSent))
			b.abandon(cmp.Or(err, errNotSent))
			b.finish()
			<-b.over
		}
	}()
	if b.err != nil {
		return b.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, up := range b.uploads {
		if err := b.sendTo(ctx, up.after, up.at); err != nil {
			return err
		}
		if err := up.run(ctx); err != nil {
			return err
		}
		if up.failed() != nil {
			b.skip(errNotSent)
			break
		}
	}
	if err := b.sendTo(ctx, len(b.calls), len(*b.frames)); err != nil {
		return err
	}
	complete = true
	b.finish()
	return nil
}

// sendTo sends the calls before the given index that have not been sent yet, whose frames end at the given length.
func (b *Batch) sendTo(ctx context.Context, calls, length int) error {
	from, part := b.begun, b.calls[min(b.begun, calls):calls]
	if len(part) == 0 {
		return nil
	}
	start := part[0].at
	for i := range part {
		part[i].at -= start
	}
	b.left.Add(int32(len(part))) //nolint:gosec // the elements were added one by one
	b.begun = calls
	if err := b.client.send(ctx, (*b.frames)[start:length], part...); err != nil {
		b.left.Add(-int32(len(part))) //nolint:gosec // see above
		b.begun = from
		return err
	}
	for _, q := range part {
		if r, ok := q.call.(*Reply[None]); ok && r.closes != nil {
			r.closes.closed.Store(true)
		}
	}
	return nil
}

// skip fails the requests that were not sent.
func (b *Batch) skip(err error) {
	for _, q := range b.calls[b.begun:] {
		b.left.Add(1)
		q.fail(err)
	}
	b.begun = len(b.calls)
	for _, up := range b.uploads {
		up.skip(err)
	}
}

// Wait waits for the replies; see [Batch.Do].
func (b *Batch) Wait(ctx context.Context) error {
	select {
	case <-b.over:
	case <-ctx.Done():
		b.abandon(ctx.Err())
		<-b.over // waits only for replies that are being decoded
	}
	for _, up := range b.uploads {
		up.setResult()
	}
	return b.lost(ctx)
}

// lost returns the error of ctx or the [*LostError] that left requests without a reply, or nil.
func (b *Batch) lost(ctx context.Context) error {
	for _, r := range b.replies {
		err := r.problem()
		if err == nil {
			continue
		}
		if ended := ctx.Err(); ended != nil && err == ended { //nolint:errorlint // set by abandon, not by the server
			return err
		}
		if lost, ok := err.(*LostError); ok { //nolint:errorlint // see above
			return lost
		}
	}
	return nil
}

// abandon fails, with err, the requests that have no reply.
func (b *Batch) abandon(err error) {
	failing := func(waiting call) { waiting.fail(err) }
	b.client.abandon(b.calls, failing)
	for _, up := range b.uploads {
		b.client.abandon(up.outstanding(), failing)
	}
}

// First returns the first error of the replies, in order.
func (b *Batch) First() error {
	for _, r := range b.replies {
		if err := r.problem(); err != nil {
			return err
		}
	}
	return nil
}

// finish counts a reply, a failed request or the end of Start; the last of these wakes the waiter.
func (b *Batch) finish() {
	if b.left.Add(-1) == 0 {
		close(b.over)
	}
}

// add adds a call and begins its frame.
func add[T any](b *Batch, r *Reply[T], kind byte) *Reply[T] {
	r.batch = b
	r.want = cmp.Or(r.want, fxpStatus)
	if b.sent { // the request cannot be sent any more
		r.Err = errTwice
	}
	b.calls = append(b.calls, queued{call: r, at: len(*b.frames)})
	b.replies = append(b.replies, r)
	*b.frames = newFrame(*b.frames, kind)
	return r
}

// sealed ends the frame that add began for r, and returns r.
func (r *Reply[T]) sealed() *Reply[T] {
	r.batch.seal()
	return r
}

// text, path, uint32 and attrs append a field to the frame that add began.
func (b *Batch) text(s string) { *b.frames = appendText(*b.frames, s) }

// path rejects a NUL, which makes OpenSSH's server exit.
func (b *Batch) path(p string) {
	if strings.IndexByte(p, 0) >= 0 {
		b.err = cmp.Or(b.err, error(&fs.PathError{Op: "sftp", Path: p, Err: fs.ErrInvalid}))
	}
	b.text(p)
}

func (b *Batch) uint32(n uint32) { *b.frames = appendUint32(*b.frames, n) }
func (b *Batch) attrs(a Attrs)   { *b.frames = a.append(*b.frames) }

// seal ends the frame that add began.
func (b *Batch) seal() {
	at := b.calls[len(b.calls)-1].at
	seal(*b.frames, at)
	if n := len(*b.frames) - at; n > maxFrame {
		b.err = cmp.Or(b.err, fmt.Errorf("the request has %d bytes, more than the limit of %d", n, maxFrame))
	}
}

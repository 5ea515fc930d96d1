package sftp

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Upload is the result of [Batch.WriteFrom] once the batch is done. It is not set if [Batch.Start]
// fails.
type Upload struct {
	Written int64 // bytes confirmed by the server
	Err     error // an error status, or the reason why there is no reply

	batch     *Batch
	file      *File
	offset    uint64
	content   io.Reader
	after, at int // number of calls and length of frames that precede the upload in the batch

	mu       sync.Mutex
	writes   []queued // without a reply
	free     []*writeCall
	inFlight int
	written  int64
	err      error
	read     bool          // no more content is read: it has ended, or a write has failed
	moved    chan struct{} // signals a reply
}

// WriteFrom writes content to an open file, from offset 0. Requests that were added before
// are sent before the content is read, and later ones at its end, without waiting for the
// replies to the writes: content of one chunk and the requests after it take one round
// trip. At most 2 MiB are in flight, and one chunk is buffered.
//
// An error of content is returned by [Batch.Do] unchanged. After it, and after a write that
// is known to have failed, later requests are not sent.
func (b *Batch) WriteFrom(f *File, content io.Reader) *Upload {
	up := &Upload{
		batch: b, file: f, content: content,
		after: len(b.calls), moved: make(chan struct{}, 1),
	}
	if !b.has(f) {
		b.err = errOtherFile
	}
	up.at = len(*b.frames)
	b.uploads = append(b.uploads, up)
	b.replies = append(b.replies, up)
	return up
}

func (up *Upload) problem() error { return up.Err }

var chunks = sync.Pool{New: func() any { return new([maxPacket]byte) }}

// run reads and sends the content until the content ends, or reading or a write fails.
func (up *Upload) run(ctx context.Context) error {
	buffer := chunks.Get().(*[maxPacket]byte)
	used := 0
	defer func() {
		clear(buffer[:used]) // contents may be secret
		chunks.Put(buffer)
	}()
	head := newFrame(buffer[:0], fxpWrite)
	head = appendText(head, up.file.handle)
	size := chunk(func(l *Limits) uint64 { return l.Write }, up.batch.client)
	for {
		data := buffer[len(head)+12:][:size]
		n, readErr := fill(ctx, up.content, data)
		used = max(used, len(head)+12+n)
		if n > 0 && (readErr == nil || readErr == io.EOF) { //nolint:errorlint // fill returns io.EOF unwrapped
			frame := appendUint64(head, up.offset)
			frame = appendUint32(frame, uint32(n)) //nolint:gosec // at most maxChunk
			frame = frame[:len(frame)+n]
			seal(frame, 0)
			if err := up.send(ctx, frame, n); err != nil {
				return err
			}
		}
		switch {
		case readErr == io.EOF, up.failed() != nil: //nolint:errorlint // see above
			up.read = true
			return nil
		case readErr != nil:
			return readErr
		}
	}
}

// fill reads until buffer is full, the content ends, reading fails, or ctx ends. The error is [io.EOF] at the
// end of the content.
func fill(ctx context.Context, content io.Reader, buffer []byte) (int, error) {
	n := 0
	for empty := 0; n < len(buffer); {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		more, err := content.Read(buffer[n:])
		n += more
		if err != nil {
			return n, err
		}
		if empty++; more > 0 {
			empty = 0
		} else if empty > 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}

// send sends one write once the window has room for it.
func (up *Upload) send(ctx context.Context, frame []byte, n int) error {
	for {
		up.mu.Lock()
		room := up.inFlight == 0 || up.inFlight+n <= window
		up.mu.Unlock()
		if room {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-up.moved:
		}
	}
	w := up.take(n)
	up.batch.left.Add(1)
	if err := up.batch.client.send(ctx, frame, queued{call: w}); err != nil {
		up.release(w)
		up.batch.finish()
		return err
	}
	up.offset += uint64(n) //nolint:gosec // not negative
	return nil
}

// writeCall is a write without a reply.
type writeCall struct {
	upload *Upload
	size   int
	id     uint32
}

func (up *Upload) take(n int) *writeCall {
	up.mu.Lock()
	defer up.mu.Unlock()
	var w *writeCall
	if last := len(up.free) - 1; last >= 0 {
		w, up.free = up.free[last], up.free[:last]
	} else {
		w = &writeCall{upload: up}
	}
	w.size = n
	up.inFlight += n
	up.writes = append(up.writes, queued{call: w})
	return w
}

func (up *Upload) release(w *writeCall) {
	up.mu.Lock()
	up.inFlight -= w.size
	up.writes = slices.DeleteFunc(up.writes, func(q queued) bool { return q.call == call(w) })
	up.free = append(up.free, w)
	up.mu.Unlock()
	select {
	case up.moved <- struct{}{}:
	default:
	}
}

func (w *writeCall) receive(kind byte, body []byte) error {
	d := decoder{rest: body}
	if kind != fxpStatus {
		return broken("the reply to a write is a packet of type %d", kind)
	}
	code, message := d.status()
	if d.err != nil {
		return d.err
	}
	var err error
	if code != CodeOK {
		err = &StatusError{Op: "write", Path: w.upload.file.path, Code: code, Message: message, open: true}
	}
	w.end(err)
	return nil
}

func (w *writeCall) fail(err error) { w.end(err) }

func (w *writeCall) end(err error) {
	up := w.upload
	up.mu.Lock()
	if err == nil {
		up.written += int64(w.size)
	} else if up.err == nil {
		up.err = err
	}
	up.mu.Unlock()
	up.release(w)
	up.batch.finish()
}

func (w *writeCall) orphan(c *Client) call { return &orphan{client: c} }
func (w *writeCall) number() *uint32       { return &w.id }

func (up *Upload) failed() error {
	up.mu.Lock()
	defer up.mu.Unlock()
	return up.err
}

func (up *Upload) outstanding() []queued {
	up.mu.Lock()
	defer up.mu.Unlock()
	return slices.Clone(up.writes)
}

// skip fails an upload whose content has not been read completely.
func (up *Upload) skip(err error) {
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.err == nil && !up.read {
		up.err = err
	}
}

// setResult sets the result once no reply is outstanding.
func (up *Upload) setResult() {
	up.mu.Lock()
	up.Written, up.Err = up.written, up.err
	up.mu.Unlock()
}

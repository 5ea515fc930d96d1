package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// WriteStateBytes implements [provider.Interface].
func (s *server) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	resp.Diagnostics = s.useStore(ctx, req.TypeName, "Write", "Cannot write the state", func(ctx context.Context, sc storeCall) error {
		if err := checkStateID(req.StateID); err != nil {
			return err
		}
		if req.Chunks == nil {
			return errEmptyState
		}
		next, stop := iter.Pull(req.Chunks)
		defer stop()
		in := &chunkReader{next: next}
		defer in.close() // before stop, because no more chunks may be requested
		if err := in.begin(); err != nil {
			return err
		}
		err := sc.c.guardPanic(ctx, "Write", func() error { return sc.write(ctx, sc.cfg, req.StateID, in, in.total) })
		return errors.Join(err, in.finish(err))
	})
	return resp
}

// errEmptyState is the error for an empty state, which would be read as a missing
// one.
var errEmptyState = errors.New("the state to write is empty; clients delete a state that is not needed, and do not empty it")

// chunkReader reads the state that a client sends, holding at most one chunk. It
// checks that the client sends all of it in order.
type chunkReader struct {
	mu   sync.Mutex // a store may pass the reader to a goroutine that outlives Write
	next func() (provider.StateChunk, bool)

	rest   []byte // rest of the current chunk
	offset int64  // offset of the next expected byte
	total  int64
	err    error // why there are no more bytes; io.EOF after the complete state
}

var errWriteEnded = errors.New("the state was read after the method Write had returned")

// begin reads the first chunk, which has the length of the state.
func (r *chunkReader) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
	if r.err != nil && !errors.Is(r.err, io.EOF) {
		return r.err
	}
	return nil
}

// Read implements io.Reader.
func (r *chunkReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.rest) == 0 && r.err == nil {
		r.advance()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// advance reads the next chunk, or sets the reason why there is none.
func (r *chunkReader) advance() {
	chunk, ok := r.next()
	switch {
	case ok && chunk.Diagnostics.HasErrors():
		r.err = fmt.Errorf("the client could not send the state: %w", chunk.Diagnostics.Err())
	case ok:
		r.err = r.take(chunk)
	case r.total == 0:
		r.err = errEmptyState
	case r.offset < r.total:
		r.err = fmt.Errorf("the state to write ended after %d of %s: %w", r.offset, diag.Count(r.total, "byte"), io.ErrUnexpectedEOF)
	default:
		r.err = io.EOF
	}
}

// take checks that a chunk is the next one.
func (r *chunkReader) take(chunk provider.StateChunk) error {
	length := int64(len(chunk.Bytes))
	switch {
	case chunk.TotalLength <= 0:
		return errEmptyState
	case r.total == 0:
		r.total = chunk.TotalLength
	case chunk.TotalLength != r.total:
		return fmt.Errorf("a part of the state to write has the total length of %s, an earlier one that of %d", diag.Count(chunk.TotalLength, "byte"), r.total)
	}
	switch {
	case length == 0:
		return fmt.Errorf("a part of the state to write, after %s, is empty", diag.Count(r.offset, "byte"))
	case chunk.Start != r.offset || chunk.End != r.offset+length-1:
		return fmt.Errorf("%s of the state to write have the range from %d to %d, where the next byte is %d",
			diag.Count(length, "byte"), chunk.Start, chunk.End, r.offset)
	case length > r.total-r.offset:
		return fmt.Errorf("the state to write has more bytes than its total length of %d", r.total)
	}
	r.rest = chunk.Bytes
	r.offset += length
	return nil
}

// finish returns the error of a write, where err is that of the store: the store
// must have read the whole state.
func (r *chunkReader) finish(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case failed(err):
		return nil // its own message is sufficient
	case r.err == nil || len(r.rest) > 0:
		if r.offset == r.total && len(r.rest) == 0 {
			// The store counted the bytes and did not read to the end.
			r.advance()
			break
		}
		return fmt.Errorf("provider bug: the method Write returned no error before it had read the whole state (%d of %s), so that a part of it is missing; please report this",
			r.offset-int64(len(r.rest)), diag.Count(r.total, "byte"))
	}
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return fmt.Errorf("provider bug: the state is incomplete, but the method Write returned no error; please report this: %w", r.err)
}

// close ends the reader.
func (r *chunkReader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest, r.err = nil, errWriteEnded
}

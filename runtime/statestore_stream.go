package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ReadStateBytes implements [provider.Interface]. The operation begins when the client
// requests the first chunk, so that nothing stays open if it requests none.
func (s *server) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) (resp provider.ReadStateBytesResponse) {
	sc, diags := s.configuredStore(req.TypeName, "Read")
	if diags != nil {
		resp.Diagnostics = diags
		return resp
	}
	resp.Chunks = func(yield func(provider.StateChunk) bool) {
		ctx, leave := s.inProgress.join(ctx)
		defer leave()
		r := reading{storeCall: sc}
		defer r.close(ctx)
		err := sc.c.guardPanic(ctx, "ReadStateBytes", func() error { return r.open(ctx, req.StateID) })
		for !failed(err) && r.next < r.size {
			var chunk provider.StateChunk
			if chunk, err = r.chunkAt(ctx); failed(err) {
				break
			}
			chunk.Diagnostics = sc.c.take()
			if !yield(chunk) {
				return
			}
		}
		if last := append(sc.c.take(), diag.FromError("Cannot read the state in "+req.TypeName, err)...); len(last) > 0 {
			yield(provider.StateChunk{Diagnostics: last})
		}
	}
	return resp
}

// reading is a state that is being read.
type reading struct {
	storeCall
	state      io.ReadCloser // nil if the state is absent or closed
	size, next int64
}

// open opens the state. If the state is absent, its size is zero.
func (r *reading) open(ctx context.Context, id string) error {
	if err := checkStateID(id); err != nil {
		return err
	}
	err := r.c.guardPanic(ctx, "Read", func() (err error) {
		r.state, r.size, err = r.read(r.c.context(ctx), r.cfg, id)
		return err
	})
	switch {
	case absent(err):
		r.size = 0
		return warningsOf(err)
	case failed(err):
		return err
	case r.state == nil:
		return errors.Join(err, errNoOutput("Read"))
	}
	r.c.addDiagnostics(diag.FromError("Read the state in "+r.c.typeName, err)) // warnings
	switch {
	case r.size < 0:
		return r.hold(ctx)
	case r.size == 0:
		return r.end(ctx)
	}
	return nil
}

// hold reads a state whose size is not known into memory.
func (r *reading) hold(ctx context.Context) error {
	var all []byte
	err := r.c.guardPanic(ctx, "Read", func() (err error) {
		all, err = io.ReadAll(r.state)
		return err
	})
	r.close(ctx)
	r.state, r.size = io.NopCloser(bytes.NewReader(all)), int64(len(all))
	return err
}

// chunkAt reads the next chunk. Before it returns the last one, it checks that the state
// ends there.
func (r *reading) chunkAt(ctx context.Context) (provider.StateChunk, error) {
	if err := ctx.Err(); err != nil {
		return provider.StateChunk{}, err
	}
	length := min(r.chunk, r.size-r.next)
	chunk := provider.StateChunk{
		// A new slice for each chunk, because the receiver may keep it.
		Bytes: make([]byte, length), TotalLength: r.size, Start: r.next, End: r.next + length - 1,
	}
	r.next += length
	err := r.c.guardPanic(ctx, "Read", func() error {
		n, err := io.ReadFull(r.state, chunk.Bytes)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the state ended after %d of %s: %w", chunk.Start+int64(n), diag.Count(r.size, "byte"), io.ErrUnexpectedEOF)
		}
		return err
	})
	if err == nil && r.next == r.size {
		err = r.end(ctx)
	}
	return chunk, err
}

// end closes the state. It returns an error if the state is longer than the size that Read returned.
func (r *reading) end(ctx context.Context) error {
	err := r.c.guardPanic(ctx, "Read", func() error {
		n, err := io.ReadFull(r.state, make([]byte, 1))
		switch {
		case n > 0:
			return fmt.Errorf("provider bug: the method Read returned the size %s, but the state is longer; please report this", diag.Count(r.size, "byte"))
		case errors.Is(err, io.EOF):
			return nil
		}
		return err
	})
	r.close(ctx)
	return err
}

// close closes the state, if it is open. An error becomes a warning of the call.
func (r *reading) close(ctx context.Context) {
	if r.state == nil {
		return
	}
	state := r.state
	r.state = nil
	err := r.c.guardPanic(ctx, "Read", state.Close)
	r.c.addDiagnostics(diag.FromError("Cannot close the state after reading it", diag.AsWarning(err)))
}

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
		defer in.close() // runs before stop, after which no chunk may be requested
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
	err    error // reason why there are no more bytes; io.EOF after the complete state
}

var errWriteEnded = errors.New("the state was read after the method Write had returned")

// begin reads the first chunk, which contains the length of the state.
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

// take makes a chunk the current one. It returns an error if that is not the next part
// of the state.
func (r *chunkReader) take(chunk provider.StateChunk) error {
	length := int64(len(chunk.Bytes))
	switch {
	case chunk.TotalLength <= 0:
		return errEmptyState
	case r.total == 0:
		r.total = chunk.TotalLength
	case chunk.TotalLength != r.total:
		return fmt.Errorf("a chunk of the state has a total length of %s, but an earlier chunk has %d", diag.Count(chunk.TotalLength, "byte"), r.total)
	}
	switch {
	case length == 0:
		return fmt.Errorf("the chunk of the state after the first %s is empty", diag.Count(r.offset, "byte"))
	case chunk.Start != r.offset || chunk.End != r.offset+length-1:
		return fmt.Errorf("a chunk of the state has %s and the range from %d to %d, but the next byte must be %d",
			diag.Count(length, "byte"), chunk.Start, chunk.End, r.offset)
	case length > r.total-r.offset:
		return fmt.Errorf("the state to write has more bytes than its total length of %d", r.total)
	}
	r.rest = chunk.Bytes
	r.offset += length
	return nil
}

// finish returns an error if the store has not read the whole state, or if the client has sent an
// invalid state. It returns nil if err, the error of the store, is more than a warning.
func (r *chunkReader) finish(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case failed(err):
		return nil // the error of the store is sufficient
	case len(r.rest) > 0 || r.err == nil && r.offset < r.total:
		return fmt.Errorf("provider bug: the method Write returned without an error before it had read the whole state (%d of %s), so a part of it is missing; please report this",
			r.offset-int64(len(r.rest)), diag.Count(r.total, "byte"))
	case r.err == nil:
		// The store counted the bytes and did not read to the end: an error there is the client's.
		if r.advance(); !errors.Is(r.err, io.EOF) {
			return r.err
		}
		return nil
	case errors.Is(r.err, io.EOF):
		return nil
	}
	return fmt.Errorf("provider bug: the state is incomplete or invalid, but the method Write returned no error: %w", r.err)
}

// close makes later calls of Read return errWriteEnded.
func (r *chunkReader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest, r.err = nil, errWriteEnded
}

package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ReadStateBytes implements [provider.Interface]. Nothing is opened before the first
// chunk is requested, so that nothing stays open if none is.
func (s *server) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) (resp provider.ReadStateBytesResponse) {
	ctx, leave := s.life.join(ctx)
	sc, diags := s.configuredStore(req.TypeName, "Read")
	if diags != nil {
		leave()
		resp.Diagnostics = diags
		return resp
	}
	resp.Chunks = func(yield func(provider.StateChunk) bool) {
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
	state      io.ReadCloser // nil if there is none or after its end
	size, next int64
}

// open opens the state; an absent one has a size of zero.
func (r *reading) open(ctx context.Context, id string) error {
	if err := checkStateID(id); err != nil {
		return err
	}
	err := r.c.guardPanic(ctx, "Read", func() (err error) {
		r.state, r.size, err = r.read(r.c.context(ctx), r.cfg, id)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound):
		r.size = 0
		return nil
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

// hold reads all of a state whose size is not known.
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

// chunkAt reads the next chunk. It returns the last one only when it is certain that
// it is the last.
func (r *reading) chunkAt(ctx context.Context) (provider.StateChunk, error) {
	if err := ctx.Err(); err != nil {
		return provider.StateChunk{}, err
	}
	length := min(r.chunk, r.size-r.next)
	chunk := provider.StateChunk{
		// A new slice for each, because the receiver may keep it.
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

// end returns an error if there is more after the last chunk.
func (r *reading) end(ctx context.Context) error {
	err := r.c.guardPanic(ctx, "Read", func() error {
		n, err := io.ReadFull(r.state, make([]byte, 1))
		switch {
		case n > 0:
			return fmt.Errorf("provider bug: the method Read returned a state of more than the %s of its size; please report this", diag.Count(r.size, "byte"))
		case errors.Is(err, io.EOF):
			return nil
		}
		return err
	})
	r.close(ctx)
	return err
}

// close closes the state. The state was read, so an error is only a warning.
func (r *reading) close(ctx context.Context) {
	if r.state == nil {
		return
	}
	state := r.state
	r.state = nil
	err := r.c.guardPanic(ctx, "Read", state.Close)
	r.c.addDiagnostics(diag.FromError("Cannot close the state after reading it", diag.AsWarning(err)))
}

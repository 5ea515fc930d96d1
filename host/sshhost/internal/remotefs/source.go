package remotefs

import (
	"context"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
)

// Source is the content to write. Its errors are [*host.SourceError].
type Source struct {
	ctx    context.Context //nolint:containedctx // the content is read within one call
	r      io.Reader
	begun  bool
	idle   int       // number of empty reads in a row
	seeker io.Seeker // nil if the content cannot be read again
	start  int64
}

// newSource returns the content of one call.
func newSource(ctx context.Context, r io.Reader) *Source {
	s := &Source{ctx: ctx, r: r}
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.start = seeker, start
		}
	}
	return s
}

// Read implements [io.Reader]. It fails once the context of the call is done.
func (s *Source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	s.begun = true
	n, err := s.r.Read(p)
	if s.idle++; n > 0 {
		s.idle = 0
	} else if s.idle > 100 && err == nil {
		err = io.ErrNoProgress
	}
	if err != nil && err != io.EOF {
		err = &host.SourceError{Source: "content", Err: err}
	}
	return n, err
}

// Rewind goes back to the beginning and reports whether that succeeded.
func (s *Source) Rewind() bool {
	if !s.begun {
		return true
	}
	if s.seeker == nil {
		return false
	}
	s.begun, s.idle = false, 0
	_, err := s.seeker.Seek(s.start, io.SeekStart)
	return err == nil
}

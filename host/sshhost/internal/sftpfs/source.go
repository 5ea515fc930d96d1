package sftpfs

import (
	"context"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
)

// source is the caller's content. It tells whose failure an error is, and
// whether the content can be had again.
type source struct {
	ctx    context.Context //nolint:containedctx // the content is read within one call
	r      io.Reader
	begun  bool
	ahead  []byte    // that was read and is to be answered first
	end    error     // what comes after that; nil is more of r
	idle   int       // how often in a row nothing came
	seeker io.Seeker // nil where the content can be had only once
	start  int64
}

func newSource(ctx context.Context, r io.Reader) *source {
	s := &source{ctx: ctx, r: r}
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.start = seeker, start
		}
	}
	return s
}

// aheadSize is as much as goes out in one request.
const aheadSize = 256 << 10

// isThere says whether the beginning of the content does not have to be waited
// for: it is in memory, or was read ahead.
func (s *source) isThere() bool {
	_, there := s.r.(interface{ Len() int })
	return there || s.begun
}

// readAhead reads the beginning of a content that may be slow to come, before
// it is asked for: who holds a session keeps it from others, where the server
// allows a single one, and what is slow may even wait for one of those.
func (s *source) readAhead() {
	s.ahead, s.end = io.ReadAll(io.LimitReader(readerFunc(s.read), aheadSize))
	if s.end == nil && len(s.ahead) < aheadSize {
		s.end = io.EOF
	}
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.ahead) > 0 {
		n := copy(p, s.ahead)
		clear(s.ahead[:n]) // contents are secrets
		s.ahead = s.ahead[n:]
		return n, nil
	}
	if s.end != nil {
		return 0, s.end
	}
	return s.read(p)
}

func (s *source) read(p []byte) (int, error) {
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

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// rewind says whether the content can be read from its beginning.
func (s *source) rewind() bool {
	if !s.begun {
		return true
	}
	if s.seeker == nil {
		return false
	}
	clear(s.ahead)
	s.begun, s.ahead, s.end, s.idle = false, nil, nil, 0
	_, err := s.seeker.Seek(s.start, io.SeekStart)
	return err == nil
}

package conn

import (
	"errors"
	"io"
	"sync"
)

// Streams of a channel block until the server sends something, which may never happen for
// an abandoned program. So each is copied by its own goroutine, which ends with the
// channel, through a pipe that can be closed at once.

const chunk = 32 << 10 // maximum size of an SSH data message

var chunks = sync.Pool{New: func() any { return new([chunk]byte) }}

// inbound is the receiving side of a stream.
type inbound struct {
	conn  *connection
	from  io.Reader
	start sync.Once
	r     *io.PipeReader
	w     *io.PipeWriter
}

func newInbound(conn *connection, from io.Reader) *inbound {
	r, w := io.Pipe()
	return &inbound{conn: conn, from: from, r: r, w: w}
}

// Read implements [io.Reader]. If the connection broke, it returns that error, not
// [io.EOF].
func (s *inbound) Read(p []byte) (int, error) {
	s.start.Do(func() { go s.move() })
	return s.r.Read(p)
}

func (s *inbound) move() {
	buffer := chunks.Get().(*[chunk]byte) //nolint:forcetypeassert // nothing else is in it
	defer chunks.Put(buffer)
	for {
		n, err := s.from.Read(buffer[:])
		if n > 0 { // a pipe delivers empty writes too
			if _, unread := s.w.Write(buffer[:n]); unread != nil {
				_, _ = io.Copy(io.Discard, s.from) // drains it, so that the channel ends
				return
			}
		}
		if err != nil {
			if lost := s.conn.err(); lost != nil {
				err = lost
			}
			s.w.CloseWithError(err)
			return
		}
	}
}

// abandon makes Read fail.
func (s *inbound) abandon(cause error) { _ = s.r.CloseWithError(cause) } // it never fails

// halfCloser is the sending side of a channel.
type halfCloser interface {
	io.Writer
	CloseWrite() error
}

// outbound is the sending side of a stream.
type outbound struct {
	conn  *connection
	to    halfCloser
	start sync.Once
	r     *io.PipeReader
	w     *io.PipeWriter
}

func newOutbound(conn *connection, to halfCloser) *outbound {
	r, w := io.Pipe()
	return &outbound{conn: conn, to: to, r: r, w: w}
}

// Write implements [io.Writer].
func (s *outbound) Write(p []byte) (int, error) {
	s.start.Do(func() { go s.move() })
	return s.w.Write(p)
}

// Close ends the stream after the written data.
func (s *outbound) Close() error {
	s.start.Do(func() { go s.move() })
	return s.w.Close()
}

var errNotRead = errors.New("the program reads no more")

func (s *outbound) move() {
	buffer := chunks.Get().(*[chunk]byte) //nolint:forcetypeassert // nothing else is in it
	defer chunks.Put(buffer)
	for {
		n, err := s.r.Read(buffer[:])
		if n > 0 {
			if _, unsent := s.to.Write(buffer[:n]); unsent != nil {
				if unsent = s.conn.err(); unsent == nil {
					unsent = errNotRead
				}
				s.abandon(unsent)
				return
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				_ = s.to.CloseWrite() // on error, the peer no longer reads
			}
			return
		}
	}
}

// abandon makes Write fail.
func (s *outbound) abandon(cause error) { _ = s.r.CloseWithError(cause) } // it never fails

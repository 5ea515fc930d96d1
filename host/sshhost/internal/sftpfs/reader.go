package sftpfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// reader is an open file. It has a session, and where that breaks, or others wait
// for its place, another one, on which it opens the file again and goes on where
// it was.
type reader struct {
	files *Files
	ctx   context.Context //nolint:containedctx // the reader is a part of the call that began it
	path  string

	mu      sync.Mutex
	closed  bool
	offset  uint64      // of what is read next
	is      *sftp.Attrs // the file that was opened first; nil before
	content *sftp.Reader
	release func() // nil when there is no session, and no content
	ahead   []byte // content read before the session was given up, from offset
	whole   bool   // nothing comes after ahead
}

// aheadMax is how much is read before a session is given up, in bytes: less than that
// is the content of one file, though another one takes its place.
const aheadMax = 1 << 20

var errReplaced = errors.New("it was changed or replaced while it was read, and the session in which it was open has ended: read it again")

// open opens the file, or that one again.
func (r *reader) open() (info host.FileInfo, err error) {
	s, err := r.files.sessions.SFTP(r.ctx)
	if err != nil {
		return info, err
	}
	is, content, err := r.files.open(r.ctx, s.Client, r.path, r.offset)
	if err != nil {
		s.Release()
		if r.is != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, host.ErrNotRegular)) {
			err = errReplaced
		}
		return info, err
	}
	released := make(chan struct{})
	r.content = content
	r.release = func() {
		close(released)
		s.Release()
	}
	switch {
	case r.is == nil:
		if info, err = r.files.info(r.ctx, r.path, is); err == nil {
			r.is = &is
		}
	case !sameFile(is, *r.is):
		err = errReplaced
	}
	if err != nil {
		return info, errors.Join(err, r.drop())
	}
	if s.Leave != nil {
		go r.leave(s.Leave, released)
	}
	return info, nil
}

// leave gives the session up when its place is needed.
func (r *reader) leave(needed, released <-chan struct{}) {
	select {
	case <-released:
		return
	case <-needed:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-released:
	default:
		ahead, err := io.ReadAll(io.LimitReader(r.content, aheadMax))
		r.ahead, r.whole = ahead, err == nil && len(ahead) < aheadMax
		_ = r.drop() // what it lost is read again
	}
}

// drop gives the session up. The lock is held.
func (r *reader) drop() error {
	if r.release == nil {
		return nil
	}
	err := r.content.Close()
	r.release()
	r.content, r.release = nil, nil
	return err
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	var n int
	err := retried(r.ctx, func() (err error) {
		if len(r.ahead) > 0 {
			n = copy(p, r.ahead)
			r.ahead = r.ahead[n:]
			return nil
		}
		if r.whole {
			return io.EOF
		}
		if r.content == nil {
			if _, err = r.open(); err != nil {
				return err
			}
		}
		if n, err = r.content.Read(p); broke(r.ctx, err) {
			_ = r.drop() // it is lost
		}
		return err
	})
	r.offset += uint64(n) //nolint:gosec // not negative
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.files.fail("read", r.path, err)
	}
	return n, err
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.files.fail("close", r.path, r.drop())
}

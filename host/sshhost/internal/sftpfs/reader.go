package sftpfs

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// reader is an open file. If its session breaks, it opens the file again in another one and
// continues at its offset.
type reader struct {
	files *Files
	ctx   context.Context //nolint:containedctx // the reader is a part of the call that began it
	path  string

	closed  bool
	offset  uint64      // of the next read
	is      *sftp.Attrs // attributes of the file when it was first opened; nil before
	content *sftp.Reader
	release func() // nil if there is no session and no content
}

var errReplaced = errors.New("the file was changed or replaced while it was being read and its session ended: read it again")

// open opens the file for the first time, or checks that it is still the same file.
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
	r.content, r.release = content, s.Release
	if r.is == nil {
		r.is = &is
	} else if !sameFile(is, *r.is) {
		return info, errors.Join(errReplaced, r.drop())
	}
	return toInfo(is), nil
}

// drop releases the session.
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
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	var n int
	err := retried(r.ctx, func() (err error) {
		if r.content == nil {
			if _, err = r.open(); err != nil {
				return err
			}
		}
		if n, err = r.content.Read(p); broke(r.ctx, err) {
			_ = r.drop() // the session is lost
		}
		return err
	})
	r.offset += uint64(n) //nolint:gosec // not negative
	return n, err
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	r.closed = true
	return r.drop()
}

package sshhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

var _ sftpfs.Placer = placer{}

// placer has the shell do what the SFTP server may have no extension for.
type placer struct{ *Host }

// Place implements [sftpfs.Placer].
func (p placer) Place(ctx context.Context, temp, path string) error {
	err := p.shell.Place(ctx, temp, path)
	if noShell(err) && !errors.Is(err, host.ErrUnreachable) {
		return &helplessError{err}
	}
	return err
}

// helplessError says that the host has no shell that could do something else's work.
type helplessError struct{ cause error }

func (e *helplessError) Error() string {
	cause := e.cause
	if failed, ok := cause.(*host.Error); ok { //nolint:errorlint // what it is about is said already
		cause = failed.Err
	}
	return "its shell is no help: " + cause.Error()
}

// Unwrap is why.
func (e *helplessError) Unwrap() error { return e.cause }

// Is matches [errors.ErrUnsupported].
func (e *helplessError) Is(target error) bool { return target == errors.ErrUnsupported }

// bare says whether the host is known to have no SFTP.
func (h *Host) bare() bool { return h.without.Load() != nil }

// ofSource says whether an error is of what the caller handed in.
func ofSource(err error) bool {
	_, is := errors.AsType[*host.SourceError](err)
	return is
}

// noShell says whether an error is of the shell itself: nothing was done.
func noShell(err error) bool {
	_, ended := errors.AsType[*shell.EndedError](err)
	_, unsent := errors.AsType[*shell.NotSentError](err)
	return ended || unsent
}

// neither is the error of what SFTP can not do, where there is no shell either.
func (h *Host) neither(bySFTP, byShell error) error {
	failed, ok := byShell.(*host.Error) //nolint:errorlint // one deeper down is another's
	if !ok || !noShell(byShell) || errors.Is(byShell, host.ErrUnreachable) {
		return byShell
	}
	if _, said := errors.AsType[*helplessError](bySFTP); said {
		return bySFTP
	}
	if other, ok := bySFTP.(*host.Error); ok { //nolint:errorlint // see above
		failed, bySFTP = other, other.Err
	}
	return &host.Error{Op: failed.Op, Host: failed.Host, Path: failed.Path, Err: fmt.Errorf("%w, and %w", bySFTP, &helplessError{byShell})}
}

// rewinding answers a content, and what makes it begin anew and says whether it
// does: what was read of it in one way must not be missing when it is written in another.
func rewinding(content io.Reader) (_ io.Reader, rewind func() bool) {
	if s, ok := content.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			return content, func() bool {
				_, err := s.Seek(start, io.SeekStart)
				return err == nil
			}
		}
	}
	once := &readOnce{Reader: content}
	return once, func() bool { return !once.begun.Load() }
}

// readOnce is a content that can be had only once.
type readOnce struct {
	io.Reader
	begun atomic.Bool
}

func (r *readOnce) Read(p []byte) (int, error) {
	r.begun.Store(true)
	return r.Reader.Read(p)
}

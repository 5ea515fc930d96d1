package sftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// StatusError is a server's refusal. It matches [fs.ErrNotExist],
// [fs.ErrPermission], [io.EOF] and [errors.ErrUnsupported] where the code says
// so. OpenSSH says [CodeFailure] of most other things (a name that is taken, a
// directory that is not empty, a disk that is full), so that one has to look
// to know.
type StatusError struct {
	Op      string
	Path    string // of a rename or a link, the new one
	Code    Code
	Message string // the server's words, which mostly repeat the code

	// open reports that the request was about an open file: a server that does
	// not find a handle has not said that nothing is at the path.
	open bool
}

func (e *StatusError) Error() string {
	text := e.Code.String()
	if e.Message != "" && !strings.EqualFold(e.Message, text) {
		text += fmt.Sprintf(" (the server says %q)", e.Message)
	}
	if e.Path == "" {
		return e.Op + ": " + text
	}
	return e.Op + " " + host.QuotePath(e.Path) + ": " + text
}

// Is matches by the code.
func (e *StatusError) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e.Code == CodeNoSuchFile && !e.open
	case fs.ErrPermission:
		return e.Code == CodePermissionDenied
	case errors.ErrUnsupported:
		return e.Code == CodeOpUnsupported
	case io.EOF:
		return e.Code == CodeEOF
	}
	return false
}

// ErrClosed is what each [*LostError] matches.
var ErrClosed = errors.New("the SFTP session has ended")

// LostError reports that the session ended and why. The request may have been carried out
// or not.
type LostError struct{ Err error }

func (e *LostError) Error() string { return ErrClosed.Error() + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// Is matches [ErrClosed].
func (e *LostError) Is(target error) bool { return target == ErrClosed }

// ProtocolError is an answer that breaks the protocol. It ends the session, because the
// answers after it cannot be trusted.
type ProtocolError struct{ Problem string }

func (e *ProtocolError) Error() string { return "the SFTP server broke the protocol: " + e.Problem }

func broken(format string, args ...any) error {
	return &ProtocolError{Problem: fmt.Sprintf(format, args...)}
}

var (
	errClosedHere = errors.New("it was closed on this side")
	errNotSent    = errors.New("not sent, because what it follows failed")
	errTwice      = errors.New("a batch is sent once")
	errOtherFile  = errors.New("the file is of another session, or closed")
	// ErrDirectoryTooLarge is a list that does not end.
	ErrDirectoryTooLarge = fmt.Errorf("the directory has more than %d entries", maxEntries)
)

package sftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// StatusError is an error status of the server. It matches [fs.ErrNotExist],
// [fs.ErrPermission], [io.EOF] and [errors.ErrUnsupported] according to the code. OpenSSH
// returns [CodeFailure] for most other errors (a name that exists, a directory that is not
// empty, a full disk), so the caller has to find out the reason.
type StatusError struct {
	Op      string
	Path    string // of a rename or a link, the new path
	Code    Code
	Message string // the server's message, which usually repeats the code

	// open means that the request was about an open file: an unknown handle does not mean
	// that the path does not exist.
	open bool
}

func (e *StatusError) Error() string {
	text := e.Code.String()
	if e.Message != "" && !strings.EqualFold(e.Message, text) {
		text += fmt.Sprintf(" (server message: %q)", e.Message)
	}
	if e.Path == "" {
		return e.Op + ": " + text
	}
	return e.Op + " " + host.QuotePath(e.Path) + ": " + text
}

// Is reports whether the code corresponds to target.
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

// ErrClosed is matched by every [*LostError].
var ErrClosed = errors.New("the SFTP session has ended")

// LostError means that the session ended; Err is the reason. The request may or may not have
// been executed.
type LostError struct{ Err error }

func (e *LostError) Error() string { return ErrClosed.Error() + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// Is matches [ErrClosed] and [host.ErrLost].
func (e *LostError) Is(target error) bool { return target == ErrClosed || target == host.ErrLost }

// ProtocolError means that a reply is invalid. It ends the session, because later replies
// cannot be trusted.
type ProtocolError struct{ Problem string }

func (e *ProtocolError) Error() string { return "the SFTP server violated the protocol: " + e.Problem }

func broken(format string, args ...any) error {
	return &ProtocolError{Problem: fmt.Sprintf(format, args...)}
}

var (
	errClosedHere = errors.New("closed by the client")
	errNotSent    = errors.New("not sent, because an earlier request failed")
	errTwice      = errors.New("a batch must be sent only once")
	errOtherFile  = errors.New("the file belongs to another session, or is closed")
	// ErrDirectoryTooLarge means that a directory listing exceeds maxEntries or maxNames.
	ErrDirectoryTooLarge = fmt.Errorf("the directory has more than %d entries, or more than %d MiB of names", maxEntries, maxNames>>20)
)

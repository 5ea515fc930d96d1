// Package remote has the interface between the parts of an SSH host: a program that runs on
// the host, with its three streams and its exit status.
//
// Most packages of an SSH host use it: a [Starter] is implemented by connections (package conn),
// by sudo over them (package elevate), and by a local shell in tests. Invariant: a command line is
// text for a POSIX shell, and every value in it is quoted.
//
// Elsewhere: package conn opens and shares connections; packages sftp and shell communicate
// with the programs.
package remote

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Starter starts programs on a host. It is safe for concurrent use.
type Starter interface {
	// Start starts a command line, which the login shell of the host's user interprets. If
	// the host allows no further program at the moment, Start waits, at most until ctx is done. The
	// process outlives ctx.
	Start(ctx context.Context, line string) (Process, error)
}

// Process is a running program. Stdout and Stderr must be read to the end, or Close must be
// called.
type Process interface {
	// Stdin returns the program's input; closing it ends the input.
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Stderr() io.Reader
	// Wait waits until the program exits. An error means that its exit status is unknown,
	// for example because the connection broke.
	Wait() (Exit, error)
	// Signal sends a signal, by its name without SIG. Not all servers support signals.
	Signal(name string) error
	// Ping waits until the host replies to a request on the connection. An error means that the
	// connection broke.
	Ping() error
	// Close abandons the process and frees its resources in the client and, if the server
	// responds, in the server. It does not kill the program.
	Close() error
}

// Exit is the outcome of a program.
type Exit struct {
	Code   int    // 128 + the signal number if a signal killed the program
	Signal string // signal name without SIG; empty if none
}

type lostError struct{ text string }

// Lost returns an error with this text that matches [host.ErrLost].
func Lost(text string) error { return &lostError{text} }

func (e *lostError) Error() string { return e.text }

func (*lostError) Is(target error) bool { return target == host.ErrLost }

type urgentKey struct{}

// Urgent returns a context with which a [Starter] starts a program before other waiting
// programs, because that program kills others.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// IsUrgent reports whether ctx was made by [Urgent] or derives from such a context.
func IsUrgent(ctx context.Context) bool { return ctx.Value(urgentKey{}) != nil }

type fileOperationKey struct{}

// FileOperation returns a context with which a [Starter] starts a program that operates on files
// for the provider, and that may therefore use the sessions that other programs leave free.
func FileOperation(ctx context.Context) context.Context {
	return context.WithValue(ctx, fileOperationKey{}, true)
}

// IsFileOperation reports whether ctx was made by [FileOperation] or derives from such a context.
func IsFileOperation(ctx context.Context) bool { return ctx.Value(fileOperationKey{}) != nil }

// ReplyTimeout limits how long a program that replies to requests about files may be silent
// while requests are pending. The slowest request is to sync a large file to a slow disk.
const ReplyTimeout = 5 * time.Minute

// ErrSilent means that a program was silent for [ReplyTimeout]. Repeating the request in
// another session does not help. It matches [host.ErrSilent] and [host.ErrLost].
var ErrSilent error = silentError{}

type silentError struct{}

func (silentError) Error() string {
	return fmt.Sprintf("the host has not replied for %d minutes. Check whether one of its file systems or disks hangs", ReplyTimeout/time.Minute)
}

func (silentError) Is(target error) bool { return target == host.ErrSilent || target == host.ErrLost }

// WithinReplyTimeout calls do and returns its error. If do takes longer than [ReplyTimeout],
// WithinReplyTimeout calls abort, which must make do return, and returns [ErrSilent].
func WithinReplyTimeout(abort func(), do func() error) error {
	silence := time.AfterFunc(ReplyTimeout, abort)
	err := do()
	if !silence.Stop() {
		return ErrSilent
	}
	return err
}

// ClosesWithin waits until done is closed, for at most d, and reports whether it is.
func ClosesWithin(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// What errors of this package can match.
var (
	// ErrLost is for what was running on a connection that broke: what became of it
	// is not known.
	ErrLost = errors.New("the connection was lost")
	// ErrRefused is for a host that is not connected to, however often one tries.
	ErrRefused = host.ErrRefused
	// ErrClosed is for a Conn that was closed.
	ErrClosed = errors.New("the connection was closed on this side")
	// ErrNoSubsystem is for a subsystem that the server does not have.
	ErrNoSubsystem = errors.New("the server does not offer it")
)

// Error is what went wrong with a connection: to whom, in which step, and why.
type Error struct {
	Host    string // its name
	Address string // user@address:port
	Step    string // what was being done, as "connect to"
	Err     error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s host %s", e.Step, e.Host)
	if e.Address != "" {
		fmt.Fprintf(&b, " (%s)", e.Address)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

func (l *Conn) errorf(step string, cause error) error {
	return &Error{Host: l.options.Name, Address: l.options.User + "@" + l.options.address(), Step: step, Err: cause}
}

// lostError is why a connection is no more.
type lostError struct{ cause error }

func (e *lostError) Error() string {
	if errors.Is(e.cause, io.EOF) {
		return ErrLost.Error() + ": the host ended it"
	}
	return ErrLost.Error() + ": " + e.cause.Error()
}

func (e *lostError) Is(target error) bool { return target == ErrLost }

// Unwrap is the cause, but not an end of input, which would be taken for that of
// a stream.
func (e *lostError) Unwrap() error {
	if errors.Is(e.cause, io.EOF) {
		return nil
	}
	return e.cause
}

// refusedError marks what is not to be tried again.
type refusedError struct{ error }

func (refusedError) Is(target error) bool { return target == ErrRefused }
func (e refusedError) Unwrap() error      { return e.error }

// unreachableError is why there was no connection, which may be another time.
type unreachableError struct{ error }

func (unreachableError) Is(target error) bool { return target == host.ErrUnreachable }
func (e unreachableError) Unwrap() error      { return e.error }

// waitError is a context that ended while something was waited for.
type waitError struct {
	doing string
	cause error
}

func (e *waitError) Error() string {
	if errors.Is(e.cause, context.DeadlineExceeded) {
		return "there was no time left " + e.doing
	}
	return e.cause.Error() + " " + e.doing
}

func (e *waitError) Unwrap() error { return e.cause }

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

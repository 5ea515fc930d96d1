package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// Errors of this package that callers can match.
var (
	// ErrLost is the error of an operation whose connection broke: the outcome of the operation is unknown. Such
	// an error also matches [host.ErrLost], which includes the loss of a program.
	ErrLost = errors.New("the connection was lost")
	// ErrRefused is the cause if connecting again would fail too, for example because the host rejects the
	// user or a private key cannot be read.
	ErrRefused = host.ErrRefused
	// ErrClosed is the error of a Conn after Close, and the cause of [ErrLost] after Disconnect.
	ErrClosed = errors.New("the connection was closed by the client")
	// ErrNoSubsystem is the error for a subsystem that the server does not have.
	ErrNoSubsystem = errors.New("the server does not offer this subsystem")
)

// Error is an error of a connection.
type Error struct {
	Host    string // name of the host
	Address string // user@address:port
	Step    string // the operation, such as "connect to"
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func (c *Conn) errorf(step string, cause error) error {
	return &Error{Host: c.options.Name, Address: c.options.User + "@" + c.options.address(), Step: step, Err: cause}
}

// lostError is the error of a broken connection, with its cause.
type lostError struct{ cause error }

func (e *lostError) Error() string {
	if errors.Is(e.cause, io.EOF) {
		return ErrLost.Error() + ": the host closed it"
	}
	return ErrLost.Error() + ": " + e.cause.Error()
}

func (e *lostError) Is(target error) bool { return target == ErrLost || target == host.ErrLost }

// Unwrap returns the cause, unless it is [io.EOF], which would look like the end of a
// stream.
func (e *lostError) Unwrap() error {
	if errors.Is(e.cause, io.EOF) {
		return nil
	}
	return e.cause
}

// refusedError marks an error as permanent.
type refusedError struct{ error }

func (refusedError) Is(target error) bool { return target == ErrRefused }
func (e refusedError) Unwrap() error      { return e.error }

// unreachableError marks an error as temporary: the host may be reachable later.
type unreachableError struct{ error }

func (unreachableError) Is(target error) bool { return target == host.ErrUnreachable }
func (e unreachableError) Unwrap() error      { return e.error }

// waitError is the error of a caller whose context ended, or whose Conn was closed, while it
// waited. doing describes the wait.
type waitError struct {
	doing string
	cause error
}

func (e *waitError) Error() string {
	if errors.Is(e.cause, context.DeadlineExceeded) {
		return "timed out " + e.doing
	}
	return e.cause.Error() + " " + e.doing
}

func (e *waitError) Unwrap() error { return e.cause }

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

package remote

import (
	"context"
	"io"
)

// Starter starts programs on a host. It is safe for concurrent use.
type Starter interface {
	// Start starts a command line, which the login shell of the host's user
	// interprets. It waits, as long as ctx lasts, where the host takes no further
	// program at this time. The process outlives ctx.
	Start(ctx context.Context, line string) (Process, error)
}

// Process is a running program. All its streams must be read to the end, or Close be
// called.
type Process interface {
	// Stdin is the program's input; closing it is the end of the input.
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Stderr() io.Reader
	// Wait waits for the program's end. Its error says that the end is not
	// known: the connection broke.
	Wait() (Exit, error)
	// Signal sends a signal, by its name without SIG, where the host can do so:
	// not all servers pass signals on.
	Signal(name string) error
	// Close abandons the process and frees what it holds on this side and, if the
	// other side answers, there. It does not end the program.
	Close() error
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // 128 + the signal's number when a signal ended it
	Signal string // the signal's name without SIG; else empty
}

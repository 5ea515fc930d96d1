package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// surroundings begins every call. The tools of administrators may not be in the
// PATH of a user, and all of them speak English here. The program takes the
// place of the shell.
const surroundings = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
exec "$@"`

var prefix = []string{"/bin/sh", "-c", surroundings, "sh"}

// Call is a program with its arguments.
type Call struct {
	// Args are the program, by its name, and its arguments.
	Args []string
	// Stdin is what the program reads. No message has it.
	Stdin string
	// Answers are the exit codes other than 0 that are no failures.
	Answers []int
	// Dir is the directory to run in; empty is the host's choice.
	Dir string
}

// script is a type that only constants of another package can have.
type script string

// Shell is the call of a script with these positional parameters. The script is a
// constant: what is not known when it is written is a parameter, which it writes
// as "$1".
func Shell(text script, args ...string) Call {
	return Call{Args: append([]string{"/bin/sh", "-c", string(text), "sh"}, args...)}
}

// Run runs a program for what it says.
func Run(ctx context.Context, h host.Host, args ...string) (Result, error) {
	return Call{Args: args}.Run(ctx, h)
}

// Result is what a program has said.
type Result struct {
	Stdout, Stderr string
	ExitCode       int
}

// Run runs the program to its end. The error of a program that the host does not
// have is a [*Missing], that of one which fails is a [*Failed]; with each, the
// result is what there is of it.
func (c Call) Run(ctx context.Context, h host.Host) (Result, error) {
	var stdout, stderr bounded
	ended, err := h.Run(ctx, host.Command{
		Args: slices.Concat(prefix, c.Args), Dir: c.Dir, Stdin: strings.NewReader(c.Stdin), Stdout: &stdout, Stderr: &stderr,
	})
	r := Result{Stdout: stdout.String(), Stderr: stderr.String(), ExitCode: ended.ExitCode}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return r, fmt.Errorf("host %s cannot run commands, which this resource requires: %w", h.Name(), err)
	case err != nil:
		return r, err
	case stdout.over || stderr.over:
		return r, fmt.Errorf("output of %s on host %s is more than %d MiB", c.Args[0], h.Name(), boundedMax>>20)
	case r.ExitCode == notFound && !slices.Contains(c.Answers, notFound):
		return r, &Missing{Host: h.Name(), Program: c.Args[0]}
	case r.ExitCode != 0 && !slices.Contains(c.Answers, r.ExitCode):
		return r, &Failed{Host: h.Name(), Args: c.Args, Signal: ended.Signal, Result: r}
	}
	return r, nil
}

// identity is how a host is asked whom the provider works as there.
var identity = []string{"id", "-u"}

// IsRoot reports whether the provider works as root on a host.
func IsRoot(ctx context.Context, h host.Host) (bool, error) {
	r, err := Run(ctx, h, identity...)
	return strings.TrimSpace(r.Stdout) == "0", err
}

// AsksWho reports whether a command is that of [IsRoot]. Hosts that answer in tests ask it.
func AsksWho(cmd host.Command) bool { return slices.Equal(Program(cmd), identity) }

// Program is the argument vector of the call that a host was given, or nil where
// the command is of somebody else. Hosts that answer in tests ask it.
func Program(cmd host.Command) []string {
	if len(cmd.Args) <= len(prefix) || !slices.Equal(cmd.Args[:len(prefix)], prefix) {
		return nil
	}
	return cmd.Args[len(prefix):]
}

// notFound is what a shell ends with for a program that it does not find.
const notFound = 127

const boundedMax = 32 << 20

// bounded keeps what a program prints, up to a bound.
type bounded struct {
	strings.Builder
	over bool
}

// Write is part of io.Writer. It never fails, as a program would only die of it.
func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > boundedMax; !b.over {
		b.Builder.Write(p)
	}
	return len(p), nil
}

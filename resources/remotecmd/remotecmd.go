package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
)

// wrapper is the script that runs every program. It adds the directories of system tools to
// PATH, because the PATH of a user may lack them, and selects English output. The program
// replaces the shell.
const wrapper = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
exec "$@"`

var wrapperArgs = []string{"/bin/sh", "-c", wrapper, "sh"}

// Call is a program with its arguments.
type Call struct {
	// Args are the name of the program and its arguments.
	Args []string
	// Stdin is the standard input. No message contains it.
	Stdin string
	// Answers are the exit codes other than 0 that are not errors.
	Answers []int
	// Dir is the working directory. If it is empty, the default of the host is used.
	Dir string
}

// script is the type of scripts. As it is not exported, other packages can only use constants.
type script string

// Shell returns the call of a script with these positional parameters. The script must be a
// constant, which refers to its parameters as "$1".
func Shell(text script, args ...string) Call {
	return Call{Args: append([]string{"/bin/sh", "-c", string(text), "sh"}, args...)}
}

// Run runs a program, which is the first of args, as [Call.Run] does.
func Run(ctx context.Context, h host.Host, args ...string) (Result, error) {
	return Call{Args: args}.Run(ctx, h)
}

// Result has the output and the exit code of a program.
type Result struct {
	Stdout, Stderr string
	ExitCode       int
}

// Run runs the program until it ends. The error is a [*Missing] if the host does not have
// the program, and a [*Failed] if it fails. The result has the output even with an error. A
// program whose output exceeds maxOutput is killed.
func (c Call) Run(ctx context.Context, h host.Host) (Result, error) {
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	stdout, stderr := boundedBuffer{exceeded: kill}, boundedBuffer{exceeded: kill}
	ended, err := h.Run(ctx, host.Command{
		Args: slices.Concat(wrapperArgs, c.Args), Dir: c.Dir, Stdin: strings.NewReader(c.Stdin), Stdout: &stdout, Stderr: &stderr,
	})
	r := Result{Stdout: stdout.String(), Stderr: stderr.String(), ExitCode: ended.ExitCode}
	failed := Failed{Host: h.Name(), Args: c.Args, Signal: ended.Signal, Result: r}
	switch {
	case stdout.over || stderr.over:
		return r, fmt.Errorf("%s on host %s was killed, because %w", c.name(), h.Name(), errOutput)
	case errors.Is(err, errors.ErrUnsupported):
		return r, fmt.Errorf("host %s cannot run commands, which this operation requires: %w", h.Name(), err)
	case err != nil:
		return r, err
	case r.ExitCode == notFound && !slices.Contains(c.Answers, notFound):
		return r, &Missing{Host: h.Name(), Program: c.name(), failed: failed}
	case r.ExitCode != 0 && !slices.Contains(c.Answers, r.ExitCode):
		return r, &failed
	}
	return r, nil
}

// rootQuery is the command that prints the UID that the provider runs as.
var rootQuery = []string{"id", "-u"}

// IsRoot reports whether the provider runs as root on a host. It returns an error if it cannot run
// id there.
func IsRoot(ctx context.Context, h host.Host) (bool, error) {
	r, err := Run(ctx, h, rootQuery...)
	return strings.TrimSpace(r.Stdout) == "0", err
}

// IsRootQuery reports whether [IsRoot] runs this command. It is for fake hosts in tests.
func IsRootQuery(cmd host.Command) bool { return slices.Equal(Program(cmd), rootQuery) }

// IsDetachedWait reports whether [AwaitDetached] runs this command. It is for fake hosts in
// tests.
func IsDetachedWait(cmd host.Command) bool {
	if len(cmd.Args) < len(wrapperArgs) {
		return false
	}
	program, detached := detachedProgram(cmd.Args[len(wrapperArgs):])
	return detached && len(program) == 0
}

// Program returns the arguments of the call that runs cmd on a host, detached or not, or nil
// if this package does not run it. It is for fake hosts in tests.
func Program(cmd host.Command) []string {
	if len(cmd.Args) <= len(wrapperArgs) || !slices.Equal(cmd.Args[:len(wrapperArgs)], wrapperArgs) {
		return nil
	}
	args := cmd.Args[len(wrapperArgs):]
	if program, detached := detachedProgram(args); detached {
		return program
	}
	return args
}

// notFound is the exit code of a shell if it does not find a program.
const notFound = 127

const maxOutput = 32 << 20

// errOutput is the cause if the output of a program exceeds maxOutput.
var errOutput = fmt.Errorf("its output exceeded %d MiB", maxOutput>>20)

// boundedBuffer is a buffer for at most maxOutput bytes. It calls exceeded if there are more.
type boundedBuffer struct {
	strings.Builder
	over     bool
	exceeded func()
}

// Write implements [io.Writer]. It never returns an error, because hosts differ in how they handle one.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > maxOutput; b.over {
		b.exceeded()
	} else {
		b.Builder.Write(p)
	}
	return len(p), nil
}

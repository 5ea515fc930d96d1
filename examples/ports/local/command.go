package localport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Command runs a program.
type Command struct {
	// Command is the name of the program, or its absolute path.
	Command string
	// Arguments of the program. Null elements are omitted.
	Arguments []*string `tf:",optional"`
	// Stdin is the standard input of the program.
	Stdin *string
	// WorkingDirectory is the directory in which the program runs. Defaults to
	// the working directory of Terraform.
	WorkingDirectory *string
}

// CommandResult is the result of a program.
type CommandResult struct {
	// ExitCode is the exit code of the program.
	ExitCode int
	// Stdout is the standard output of the program, or null if there is none. Bytes that are not valid UTF-8 are
	// replaced.
	Stdout *string
	// Stderr is the standard error of the program, or null if there is none. Bytes that are not valid UTF-8 are
	// replaced.
	Stderr *string
}

// run runs the program. It returns an error if the program cannot be started; state
// describes how the program ended if the exit code is not zero.
func (c *Command) run(ctx context.Context, environment map[string]string) (out *CommandResult, state string, err error) {
	var args []string
	for _, arg := range c.Arguments {
		if arg != nil {
			args = append(args, *arg)
		}
	}
	cmd := exec.CommandContext(ctx, c.Command, args...)
	if c.Stdin != nil {
		cmd.Stdin = strings.NewReader(*c.Stdin)
	}
	if c.WorkingDirectory != nil {
		cmd.Dir = *c.WorkingDirectory
	}
	cmd.Env = cmd.Environ()
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		state, err = exit.Error(), nil
	}
	if err != nil {
		return nil, "", diag.Diagnostic{Summary: err.Error(), Detail: "The command cannot be started."}
	}
	return &CommandResult{cmd.ProcessState.ExitCode(), text(stdout.Bytes()), text(stderr.Bytes())}, state, nil
}

// text returns an output of a program, or nil if it is empty.
func text(output []byte) *string {
	if len(output) == 0 {
		return nil
	}
	s := valid(output)
	return &s
}

// Query is a command with a result.
type Query struct {
	Command

	// AllowNonZeroExitCode is whether an exit code other than zero is not an error.
	AllowNonZeroExitCode *bool
}

// run runs the command. An exit code other than zero is an error, unless it is allowed; kind names
// the object in that error.
func (q *Query) run(ctx context.Context, kind string) (*CommandResult, error) {
	out, state, err := q.Command.run(ctx, nil)
	if err != nil || state == "" || q.AllowNonZeroExitCode != nil && *q.AllowNonZeroExitCode {
		return out, err
	}
	return nil, failed(out, state, "The "+kind+" executed the command but received a non-zero exit code.\n\n")
}

// failed returns the error for a program that has failed. The tests of the action, data source
// and ephemeral resource expect its labels and sentences.
func failed(out *CommandResult, state, intro string) error {
	detail := intro
	if out.Stderr != nil {
		detail += "Command Error: " + strings.TrimSpace(*out.Stderr) + "\n\n"
	}
	return diag.Diagnostic{Summary: "Command failed", Detail: fmt.Sprintf("%sState: %s", detail, state)}
}

// CommandLookup runs a program and returns its result.
type CommandLookup struct{ Query }

// Read runs the program.
func (c *CommandLookup) Read(ctx context.Context, _ runtime.NoConfig) (*CommandResult, error) {
	return c.run(ctx, "data source")
}

// EphemeralCommand runs a program and returns its result, which is not stored.
type EphemeralCommand struct{ Query }

// Open runs the program.
func (c *EphemeralCommand) Open(ctx context.Context, _ runtime.NoConfig) (*CommandResult, runtime.Lease[runtime.NoSession], error) {
	out, err := c.run(ctx, "ephemeral resource")
	return out, runtime.Lease[runtime.NoSession]{}, err
}

// CommandAction runs a program and shows its standard output.
type CommandAction struct {
	Command

	// Environment variables to add to those of the provider.
	Environment map[string]string `tf:",optional"`
}

// Invoke runs the program.
func (c *CommandAction) Invoke(ctx context.Context, _ runtime.NoConfig, report func(message string)) error {
	out, state, err := c.run(ctx, c.Environment)
	if err != nil {
		return err
	}
	if state != "" {
		return failed(out, state, "")
	}
	if out.Stdout != nil {
		report("\n" + *out.Stdout)
	}
	return nil
}

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// job is one run of a command.
type job struct {
	*Settings
	attribute string // name of the command's attribute
	text      string
	env       map[string]string
	stdin     *string
	secrets   []string // values that messages must not contain
	hidden    []string // values that outputs must not contain
	shows     shows
	report    func(line string) // receives the output line by line; nil to ignore it
}

// shows determines which output of a command may be in messages and in outputs that are not
// sensitive.
type shows int

const (
	showsAll shows = iota
	showsStderr
	showsNothing
)

// result is the outcome of a command.
type result struct {
	job            *job
	host           string
	stdout, stderr capture
	host.Result
}

// errTimeout is the cause if a command was killed at its timeout.
var errTimeout = errors.New("the command timed out")

// run runs the command until it exits. An error means that it did not exit normally; the
// caller decides what the exit code means.
func (j *job) run(ctx context.Context, h host.Host) (*result, error) {
	r := &result{job: j, host: h.Name()}
	cmd := host.Command{Args: append(slices.Clone(j.Interpreter), j.text), Env: j.env, Stdout: &r.stdout, Stderr: &r.stderr}
	if j.report != nil {
		stdout, stderr := j.tellers()
		defer stdout.end()
		defer stderr.end()
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&r.stdout, stdout), io.MultiWriter(&r.stderr, stderr)
	}
	if j.WorkingDirectory != nil {
		cmd.Dir = *j.WorkingDirectory
	}
	if j.stdin != nil {
		cmd.Stdin = io.Reader(strings.NewReader(*j.stdin))
	}
	limited := ctx
	if j.Timeout != nil {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, time.Duration(*j.Timeout), errTimeout)
		defer cancel()
	}
	var err error
	if r.Result, err = h.Run(limited, cmd); err == nil {
		return r, nil
	}
	late := errors.Is(context.Cause(limited), errTimeout)
	switch {
	case !begun(err) && late:
		return nil, diag.AttributeErrorf("timeout", "the command %s was not started within %s, which includes the connection to the host: %w", j.attribute, time.Duration(*j.Timeout), err)
	case !begun(err):
		return nil, fmt.Errorf("the command %s was not started: %w", j.attribute, err)
	case late:
		return nil, diag.AttributeErrorf("timeout", "the command %s on host %s did not end within %s. It was killed with the processes it started%s",
			j.attribute, h.Name(), time.Duration(*j.Timeout), r.lastWords())
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the command %s on host %s was interrupted, and killed with the processes it started%s", j.attribute, h.Name(), r.lastWords())
	default:
		return nil, fmt.Errorf("the outcome of the command %s is unknown: %w%s", j.attribute, err, r.lastWords())
	}
}

// succeed is run for a command that must succeed. A result that is returned with an error
// is that of a failed command.
func (j *job) succeed(ctx context.Context, h host.Host, allowed []int64) (*result, error) {
	r, err := j.run(ctx, h)
	if err == nil && !slices.Contains(allowed, int64(r.ExitCode)) {
		expected := ""
		if !slices.Equal(allowed, []int64{0}) {
			expected = ", which is not one of allowed_exit_codes (" + codes(allowed) + ")"
		}
		err = r.failed(expected)
	}
	return r, err
}

// tell is succeed for a command whose output is needed.
func (j *job) tell(ctx context.Context, h host.Host, allowed []int64) (*result, error) {
	r, err := j.succeed(ctx, h, allowed)
	if err == nil {
		_, err = r.required()
	}
	return r, err
}

// begun reports whether a command with this error may have had an effect.
func begun(err error) bool {
	_, not := errors.AsType[*host.NotStartedError](err)
	return !not
}

// failed returns the error for a command with an unexpected outcome.
func (r *result) failed(expected string) error {
	how := fmt.Sprintf("with exit code %d", r.ExitCode)
	if r.Signal != "" {
		how = fmt.Sprintf("by signal %s (exit code %d)", r.Signal, r.ExitCode)
	}
	return diag.AttributeErrorf(r.job.attribute, "the command %s on host %s ended %s%s%s", r.job.attribute, r.host, how, expected, r.lastWords())
}

// printed returns the outputs of the command. Output that cannot be a value is null, with a
// warning.
func (r *result) printed(ctx context.Context) Printed {
	p := Printed{ExitCode: new(int64(r.ExitCode))}
	stdout, stderr := r.value(ctx, "stdout", &r.stdout), r.value(ctx, "stderr", &r.stderr)
	if r.job.shows == showsNothing {
		p.SensitiveStdout, p.SensitiveStderr = stdout, stderr
	} else {
		p.Stdout, p.Stderr = stdout, stderr
	}
	return p
}

func (r *result) value(ctx context.Context, name string, c *capture) *string {
	text, why := r.job.keep(c)
	if text == nil {
		runtime.Warn(ctx, r.job.attribute, "Output not kept", fmt.Sprintf(
			"The output of the command %s on host %s on %s %s, so %s is null. Redirect output that is not needed to a file.",
			r.job.attribute, r.host, name, why, name))
	}
	return text
}

// keep returns the output as a value, or nil and the reason why it cannot be one.
func (j *job) keep(c *capture) (*string, string) {
	text, why := c.text()
	if text == nil {
		return nil, why
	}
	for _, secret := range needles(j.hidden) {
		if strings.Contains(*text, secret) {
			return nil, tellsSecret
		}
	}
	return text, ""
}

const tellsSecret = "contains a sensitive or write-only value"

// required returns the standard output for a user who requested it: an error if it cannot
// be a value.
func (r *result) required() (*string, error) {
	text, why := r.job.keep(&r.stdout)
	if text != nil {
		return text, nil
	}
	remedy := "Print less, for example a digest (| sha256sum), or encode binary output (| base64)"
	if why == tellsSecret {
		remedy = "Set sensitive_output = true, or change the output"
	}
	return nil, diag.AttributeErrorf(r.job.attribute, "the output of the command %s on host %s on stdout %s. %s", r.job.attribute, r.host, why, remedy)
}

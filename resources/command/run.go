package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// job is one run of a command.
type job struct {
	*Settings
	attribute string // attribute of the command, for messages
	text      string
	env       map[string]string
	stdin     *string
	masked    []string // values to mask in messages
	excluded  []string // values that outputs must not contain
	visible   visibility
	report    func(line string) // if not nil, called for lines of output while the command runs
}

// visibility is the part of a command's output that messages and non-sensitive outputs
// may show.
type visibility int

const (
	visibleAll visibility = iota
	visibleStderr
	visibleNone
)

// result is the result of a command that ran to its end.
type result struct {
	job            *job
	host           string
	stdout, stderr *capture
	host.Result
}

// errTimeout is the cause of a context that ended because of the timeout.
var errTimeout = errors.New("the command timed out")

// run runs the command. An error means that it did not run to its end, or that its result
// is lost; exit codes are checked by the caller.
func (j *job) run(ctx context.Context, h host.Host) (*result, error) {
	r := &result{job: j, host: h.Name(), stdout: newCapture(), stderr: newCapture()}
	cmd := host.Command{Args: append(slices.Clone(j.Interpreter), j.text), Env: j.env, Stdout: r.stdout, Stderr: r.stderr}
	if j.report != nil {
		stdout, stderr := j.lineReporters()
		defer stdout.close()
		defer stderr.close()
		cmd.Stdout, cmd.Stderr = io.MultiWriter(r.stdout, stdout), io.MultiWriter(r.stderr, stderr)
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
	case !host.MayHaveRun(err) && late:
		return nil, diag.AttributeErrorf("timeout", "%s was not started within %s, a limit that includes the connection to the host: %w", j.name(), time.Duration(*j.Timeout), err)
	case !host.MayHaveRun(err):
		return nil, fmt.Errorf("%s was not started: %w", j.name(), err)
	case late:
		return nil, diag.AttributeErrorf("timeout", "%s on host %s did not end within %s. It was killed with the processes it started%s",
			j.name(), h.Name(), time.Duration(*j.Timeout), r.outputTail())
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s on host %s was interrupted, and killed with the processes it started%s", j.name(), h.Name(), r.outputTail())
	default:
		return nil, fmt.Errorf("the result of %s is lost: %w. The command may have run on host %s: check its effect before you apply again%s", j.name(), err, h.Name(), r.outputTail())
	}
}

// runChecked calls run and returns an error for an exit code that is not allowed; both result
// and error are set then.
func (j *job) runChecked(ctx context.Context, h host.Host, allowed []int64) (*result, error) {
	r, err := j.run(ctx, h)
	if err == nil && !slices.Contains(allowed, int64(r.ExitCode)) {
		expected := ""
		if !slices.Equal(allowed, []int64{0}) {
			expected = ", which is not one of allowed_exit_codes (" + formatCodes(allowed) + ")"
		}
		err = r.exitError(expected)
	}
	return r, err
}

// runForOutput calls runChecked and returns an error if standard output cannot be an attribute.
func (j *job) runForOutput(ctx context.Context, h host.Host, allowed []int64) (*result, error) {
	r, err := j.runChecked(ctx, h, allowed)
	if err == nil {
		_, err = r.requireStdout()
	}
	return r, err
}

// name returns the name of the command for messages, by its attribute.
func (j *job) name() string {
	if j.attribute == "command" {
		return "the command"
	}
	return "the command " + j.attribute
}

// exitError returns the error of a command that ended with a wrong exit code.
func (r *result) exitError(expected string) error {
	how := fmt.Sprintf("with exit code %d", r.ExitCode)
	if r.Signal != "" {
		how = fmt.Sprintf("by signal %s (exit code %d)", r.Signal, r.ExitCode)
	}
	return diag.AttributeErrorf(r.job.attribute, "%s on host %s ended %s%s%s", r.job.name(), r.host, how, expected, r.outputTail())
}

// output returns the output and the exit code as attributes. Output that cannot be an
// attribute is null, with a warning.
func (r *result) output(ctx context.Context) ProcessOutput {
	p := ProcessOutput{ExitCode: new(int64(r.ExitCode))}
	hidden, prefix := r.job.visible == visibleNone, ""
	if hidden {
		prefix = "sensitive_"
	}
	stdout, stderr := r.outputValue(ctx, "stdout", prefix, r.stdout), r.outputValue(ctx, "stderr", prefix, r.stderr)
	if hidden {
		p.SensitiveStdout, p.SensitiveStderr = stdout, stderr
	} else {
		p.Stdout, p.Stderr = stdout, stderr
	}
	return p
}

// outputValue returns the output on a stream. If the output cannot be the attribute prefix+stream, outputValue
// returns nil, with a warning.
func (r *result) outputValue(ctx context.Context, stream, prefix string, c *capture) *string {
	text, why := r.job.value(c)
	if text == nil {
		runtime.Warn(ctx, r.job.attribute, "Output not kept", fmt.Sprintf(
			"The %s of %s on host %s %s, so %s is null. If the output is not needed, redirect it to a file.",
			stream, r.job.name(), r.host, why, prefix+stream))
	}
	return text
}

// value returns output as an attribute. If it cannot be one, the text is nil, with the
// reason.
func (j *job) value(c *capture) (*string, string) {
	text, why := c.text()
	if text == nil {
		return nil, why
	}
	if containsAny(*text, j.excluded) {
		return nil, containsSecret
	}
	return text, ""
}

const containsSecret = "contains a sensitive or write-only value"

// requireStdout returns standard output, or an error if it cannot be an attribute.
func (r *result) requireStdout() (*string, error) {
	text, why := r.job.value(r.stdout)
	if text != nil {
		return text, nil
	}
	remedy := "Print less, for example a digest (| sha256sum), or encode binary output (| base64)"
	if why == containsSecret {
		remedy = "Print a digest (| sha256sum); or set sensitive_output = true, unless the value is write-only"
	}
	return nil, diag.AttributeErrorf(r.job.attribute, "the stdout of %s on host %s %s. %s", r.job.name(), r.host, why, remedy)
}

const (
	// maxOutput is the maximum size of output that an attribute can have.
	maxOutput = 1 << 20
	// maxTail is the size of the end of the output that is kept for messages. It is
	// more than is shown, so that a secret that starts before the shown part is still
	// found.
	maxTail = 64 << 10
)

// capture is a writer that keeps the beginning and the end of a command's output, in
// bounded memory.
type capture struct {
	mu   sync.Mutex // the host may still write after the command was killed
	head []byte     // beginning of the output
	tail host.Tail  // end of the output
	size int64
}

func newCapture() *capture { return &capture{tail: host.Tail{Max: maxTail}} }

// Write implements [io.Writer].
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	c.head = append(c.head, p[:min(len(p), maxOutput-len(c.head))]...)
	return c.tail.Write(p)
}

// text returns the output without trailing newlines. If it cannot be an attribute, text
// is nil and why is the reason.
func (c *capture) text() (text *string, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.size > maxOutput:
		return nil, "is larger than 1 MiB"
	case !utf8.Valid(c.head):
		return nil, "is not UTF-8 text"
	}
	return new(string(bytes.TrimRight(c.head, "\n"))), ""
}

const (
	// maxLines is the maximum number of lines of output that are reported while a command runs,
	// and maxLineLength the maximum number of bytes of each.
	maxLines      = 200
	maxLineLength = 500
)

// lineReporter is a writer that reports lines when they are complete, with secrets masked.
type lineReporter struct {
	job      *job
	patterns []string // of secrets
	count    *lineCount

	mu    sync.Mutex // the host may still write after the command was killed
	line  []byte
	ended bool
}

// lineCount counts the lines of both outputs of a command that are not blank.
type lineCount struct {
	mu    sync.Mutex
	lines int
}

// lineReporters returns the writers for standard output and standard error.
func (j *job) lineReporters() (stdout, stderr *lineReporter) {
	all, patterns := &lineCount{}, maskPatterns(j.masked)
	return &lineReporter{job: j, patterns: patterns, count: all}, &lineReporter{job: j, patterns: patterns, count: all}
}

// Write implements [io.Writer].
func (t *lineReporter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0 && !t.ended; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		t.line = append(t.line, part[:min(len(part), maxTail-len(t.line))]...)
		if end < 0 {
			break
		}
		t.flush()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// close reports a last line without a newline. Later writes are ignored.
func (t *lineReporter) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.ended = true
}

// flush reports the current line, unless the line is blank. After maxLines lines, it reports once that
// further output is not shown. Secrets are masked before long lines are cut.
func (t *lineReporter) flush() {
	line := string(t.line)
	if t.line = t.line[:0]; strings.TrimSpace(line) == "" {
		return
	}
	t.count.mu.Lock()
	defer t.count.mu.Unlock()
	switch t.count.lines++; {
	case t.count.lines > maxLines+1:
		return
	case t.count.lines > maxLines:
		t.job.report("… further output is not shown")
		return
	}
	text := sanitize(strings.ToValidUTF8(line, "\uFFFD"), t.patterns)
	if short := strings.ToValidUTF8(text[:min(len(text), maxLineLength)], ""); len(short) < len(text) {
		text = short + " …"
	}
	t.job.report(text)
}

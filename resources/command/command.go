package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// unfinishedKey is the key of private data that records that create, or the read after it,
// has failed: the object has to be created again, regardless of later output of read.
const unfinishedKey = "unfinished"

// Create implements [runtime.TypedResource].
func (c *Command) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	out := &Output{Host: new(h.Name()), ID: rand.Text()}
	r, err := c.runWrite(ctx, h, "create", c.ToCreate, out)
	if !host.MayHaveRun(err) {
		return nil, err
	}
	if r != nil {
		out.ProcessOutput = r.output(ctx)
	}
	if err == nil {
		err = c.explainAbsent(h, "create", c.observe(ctx, h, out))
	}
	if err != nil {
		runtime.Private(ctx).Set(unfinishedKey, []byte("create"))
	}
	return out, err
}

// runWrite runs create or update. If the exit code is not allowed, both the result and the
// error are set. Invalid variables are reported as a [*host.NotStartedError].
func (c *Command) runWrite(ctx context.Context, h host.Host, attribute, text string, out *Output) (*result, error) {
	j, err := c.job(attribute, text, out, variables{"environment_wo", c.EnvironmentWO})
	if err != nil {
		return nil, &host.NotStartedError{Err: err}
	}
	j.stdin = cmp.Or(c.StdinWO, c.Stdin)
	j.masked = append(j.masked, secretValues(variables{}, j.stdin)...)
	j.excluded = append(j.excluded, secretValues(variables{"", c.EnvironmentWO}, c.StdinWO)...)
	return j.runChecked(ctx, h, c.AllowedExitCodes)
}

// job returns a run of one of the commands, whose environment also has the variables in more. The values of
// these variables and of sensitive_environment are masked in messages.
func (c *Command) job(attribute, text string, out *Output, more variables) (*job, error) {
	own := map[string]string{idVariable: out.ID}
	if stdout := out.stdout(); stdout != nil && len(*stdout) <= maxVariable && !strings.ContainsRune(*stdout, 0) {
		own[stdoutVariable] = *stdout
	}
	env, err := c.environment(c.sensitiveVariables(), more, variables{"", own})
	return &job{
		Settings: &c.Settings, attribute: attribute, text: text, env: env, visible: c.visibility(),
		masked: append(secretValues(c.sensitiveVariables()), secretValues(more)...), excluded: c.excluded(),
	}, err
}

// maxVariable is the maximum size of output that is passed in a variable: Linux limits
// a variable with its name to 128 KiB.
const maxVariable = 64 << 10

var errAbsent = errors.New("absent")

// runRead returns the output of read. The error is errAbsent if the exit code means that the object does not exist.
// Write-only values are not passed to read, but are masked as well: create or update may have stored them where read
// finds them.
func (c *Command) runRead(ctx context.Context, h host.Host, out *Output) (*string, error) {
	j, err := c.job("read", *c.ToRead, out, variables{})
	if err != nil {
		return nil, err
	}
	written := secretValues(variables{"", c.EnvironmentWO}, c.StdinWO)
	j.masked, j.excluded = append(j.masked, written...), append(j.excluded, written...)
	r, err := j.run(ctx, h)
	switch {
	case err != nil:
		return nil, err
	case r.ExitCode == 0:
		return r.requireStdout()
	case slices.Contains(c.AbsentExitCodes, int64(r.ExitCode)):
		return nil, errAbsent
	}
	expected := ", which is not one of absent_exit_codes (" + formatCodes(c.AbsentExitCodes) + ")"
	if len(c.AbsentExitCodes) == 0 {
		expected = fmt.Sprintf(". If this exit code means that the object no longer exists, set absent_exit_codes = [%d]", r.ExitCode)
	}
	return nil, r.exitError(expected)
}

// observe runs read, if it is set, and records its output in out for later plans.
func (c *Command) observe(ctx context.Context, h host.Host, out *Output) error {
	var observed *string
	if c.ToRead != nil {
		var err error
		if observed, err = c.runRead(ctx, h, out); err != nil {
			return err
		}
	}
	out.setObserved(c.sensitive(), observed)
	return nil
}

// explainAbsent returns err, the error of a read that follows create or update, or nil. It replaces errAbsent with
// an error that names both commands; made is the name of the first one.
func (*Command) explainAbsent(h host.Host, made string, err error) error {
	if errors.Is(err, errAbsent) {
		return diag.AttributeErrorf("read", "the command %s succeeded on host %s, but read then reported by its exit code "+
			"that the object does not exist. Correct one of the commands", made, h.Name())
	}
	return err
}

func (o *Output) setObserved(sensitive bool, text *string) {
	o.Observed, o.SensitiveObserved = text, nil
	if sensitive {
		o.Observed, o.SensitiveObserved = nil, text
	}
}

// Read implements [runtime.TypedResource].
func (c *Command) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	out := *prior
	if c.ToRead == nil {
		return &out, nil
	}
	h := scope.Host
	observed, err := c.runRead(ctx, h, &out)
	switch {
	case errors.Is(err, errAbsent):
		return nil, fmt.Errorf("%w: reported by read", runtime.ErrNotFound)
	case runtime.Private(ctx).Get(unfinishedKey) != nil:
		return &out, nil // the object is created again, regardless of read
	case isHostError(err):
		return nil, err
	case err != nil:
		runtime.Warn(ctx, "read", "The command as last applied has failed", "The command read and its settings are those of the last apply. "+
			"To correct them, change the configuration and apply it with -refresh=false. If only read, timeout or absent_exit_codes changes, "+
			"such an apply runs no command except read.")
		return nil, err
	}
	out.setObserved(c.sensitive(), observed)
	return &out, nil
}

// isHostError reports whether the host failed, and not the command.
func isHostError(err error) bool {
	_, is := errors.AsType[*host.Error](err)
	return is
}

// Update implements [runtime.TypedResource].
func (c *Command) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Command, *Output]) (*Output, error) {
	h := scope.Host
	out := *prior.Observed
	out.Host = new(h.Name())
	acts := !prior.Inputs.isAdopted() && (c.changed(&prior.Inputs) || prior.Observed.drifted(prior.Outputs))
	if acts {
		update, set := c.ToUpdate.Get()
		if !set {
			return nil, diag.AttributeErrorf("update", "the value was unknown during the plan and is null, so the object cannot be updated in place. Plan and apply again")
		}
		r, err := c.runWrite(ctx, h, "update", update, &out)
		if err != nil {
			return nil, err
		}
		out.ProcessOutput = r.output(ctx)
	} else {
		if err := c.checkPlainRead(&prior.Inputs, &out); err != nil { // secrets may have been unknown in the plan
			return nil, err
		}
		c.moveOutput(ctx, h, &out.ProcessOutput)
	}
	runtime.Private(ctx).Set(unfinishedKey, nil)
	switch {
	case acts:
		return &out, c.explainAbsent(h, "update", c.observe(ctx, h, &out))
	case c.readChanged(&prior.Inputs):
		err := c.observe(ctx, h, &out)
		if errors.Is(err, errAbsent) {
			runtime.Warn(ctx, "read", "Object does not exist",
				fmt.Sprintf("The exit code of the command read on host %s means that the object does not exist. The next apply creates it.", h.Name()))
			out.setObserved(false, nil)
			err = nil
		}
		return &out, err
	default:
		out.setObserved(c.sensitive(), out.observed())
		return &out, nil
	}
}

// checkPlainRead returns an error if the stored output of read contains a secret and has to move to the
// plain attribute.
func (c *Command) checkPlainRead(prior *Command, stored *Output) error {
	if text := stored.observed(); text == nil || c.readChanged(prior) || !containsAny(*text, c.excluded()) {
		return nil
	}
	return diag.AttributeErrorf("sensitive_output", "the output of the command read on host %s %s. "+
		"Set sensitive_output = true, or change the output first", *stored.Host, containsSecret)
}

// moveOutput moves the output of an earlier create or update to the sensitive or the plain attributes.
// Output that cannot be plain is null, with a warning, as if the command had run with this configuration.
func (c *Command) moveOutput(ctx context.Context, h host.Host, p *ProcessOutput) {
	o := Output{ProcessOutput: *p}
	stdout, stderr := o.stdout(), cmp.Or(p.Stderr, p.SensitiveStderr)
	*p = ProcessOutput{ExitCode: p.ExitCode}
	if c.sensitive() {
		p.SensitiveStdout, p.SensitiveStderr = stdout, stderr
		return
	}
	plain := func(name string, text *string) *string {
		if text == nil || !containsAny(*text, c.excluded()) {
			return text
		}
		runtime.Warn(ctx, "sensitive_output", "Output not kept", fmt.Sprintf("The %s of the last create or update on host %s %s, so %s is null.",
			name, h.Name(), containsSecret, name))
		return nil
	}
	p.Stdout, p.Stderr = plain("stdout", stdout), plain("stderr", stderr)
}

// Delete implements [runtime.TypedResource].
func (c *Command) Delete(ctx context.Context, scope *lifecycle.Scope, prior *Output) error {
	if c.ToDelete == nil {
		return nil
	}
	h := scope.Host
	j, err := c.job("delete", *c.ToDelete, prior, variables{})
	if err != nil {
		return err
	}
	_, err = j.runChecked(ctx, h, c.AllowedExitCodes)
	if err != nil && runtime.Private(ctx).Get(unfinishedKey) != nil {
		runtime.Warn(ctx, "", "Object not created completely", "The command create, or the read after it, failed for this object, and now the command delete failed, "+
			"with the settings of the apply that ran create. If nothing is left of the object on the host, remove it from the state with the command state rm.")
	}
	return err
}

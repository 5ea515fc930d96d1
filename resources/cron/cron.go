package cron

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Dir is the directory that cron reads.
const Dir = "/etc/cron.d"

func (c *Cron) path() address.Path { return address.Path(Dir + "/" + c.Name) }

// wanted returns the configured entry.
func (c *Cron) wanted() entry {
	return entry{schedule: c.Schedule.normalized(), user: c.User, command: c.Command, environment: c.Environment}
}

func (c *Cron) file() dropin.File {
	return dropin.File{Path: c.path(), Mode: 0o644, Missing: "first install a cron that reads it, for example with posix_package; the cron of busybox does not read it: use posix_file_block for its crontabs"}
}

// Place implements [lifecycle.Object].
func (c *Cron) Place() (*string, lifecycle.Key) { return c.Host, c.path() }

// RootOnly implements [lifecycle.RootOnly].
func (*Cron) RootOnly() string { return "cron jobs" }

// Preflight implements [lifecycle.Preflighter].
func (c *Cron) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	exists, err := c.userExists(ctx, scope.Host)
	if err := lifecycle.ConnectionError(err); err != nil {
		return err
	}
	if err == nil && !exists && !scope.PlannedAccount(lifecycle.AccountUser, c.User) {
		lifecycle.WarnMissing(ctx, "user", c.noUser(scope.Host))
	}
	if scope.Owned() {
		return nil
	}
	return c.file().Preflight(ctx, scope, c.conflict(scope.Host))
}

// PlanOutputs implements [runtime.OutputPlanner].
func (c *Cron) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	c.file().PlanOutputs(plan)
	plan.Set("intact", true)
	plan.Set("unexpected_lines", []string{})
	return nil
}

// notOneEntry is the reason why [parse] does not return an entry for a file.
const notOneEntry = "it does not have exactly one command after all variables, has a line that is not a comment, a variable or a command, " +
	"is not UTF-8 text in normalisation form C (NFC), or has a command with input after a percent sign"

// conflict returns a function that returns an error for an existing file that must not
// be adopted.
func (c *Cron) conflict(h host.Host) func([]byte) error {
	return func(existing []byte) error {
		if bytes.Equal(existing, c.wanted().render()) {
			return nil
		}
		remedy := fmt.Sprintf("To manage it, import it (id %q); a plan then shows what would change", h.Name()+":"+c.Name)
		if _, ok := parse(existing); !ok {
			remedy = "It cannot be imported, because " + notOneEntry + ": remove the file"
		}
		return lifecycle.ConflictErrorf("name", "%s already exists on host %s and differs from the configuration. %s. Or choose another name",
			c.path(), h.Name(), remedy)
	}
}

// checkUserExists returns an error if the host does not have the user: cron would
// ignore the file until it changes again.
func (c *Cron) checkUserExists(ctx context.Context, h host.Host) error {
	exists, err := c.userExists(ctx, h)
	if err != nil || exists {
		return err
	}
	return c.noUser(h)
}

func (c *Cron) userExists(ctx context.Context, h host.Host) (bool, error) {
	user, err := h.LookupUser(ctx, c.User)
	if errors.Is(err, host.ErrUnknownUser) {
		return false, nil
	}
	return user.Name != "", err
}

func (c *Cron) noUser(h host.Host) error {
	return diag.AttributeErrorf("user", "host %s has no user %q. Create it first, for example with posix_user", h.Name(), c.User)
}

// Create implements [runtime.TypedResource].
func (c *Cron) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	if err := c.checkUserExists(ctx, h); err != nil {
		return nil, err
	}
	if err := c.file().Create(ctx, h, c.wanted().render(), c.conflict(h)); err != nil {
		return nil, err
	}
	return c.output(h), nil
}

// Read implements [runtime.TypedResource]. If the file is not exactly one entry, Read returns the
// entry of the state, with Intact set to false, or, during an import, an error.
func (c *Cron) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	existing, is, err := c.file().Read(ctx, h)
	if err != nil {
		return nil, err
	}
	out := c.output(h)
	if !out.setContent(existing) && c.User == "" { // during an import
		return nil, fmt.Errorf("%s on host %s cannot be imported: %s. To manage the file as it is, use posix_file", c.path(), h.Name(), notOneEntry)
	}
	out.Mode, out.Owner, out.Group = is.Mode, is.Owner, is.Group
	return out, nil
}

// entry returns the entry that the state has.
func (o *Output) entry() entry {
	return entry{schedule: o.Schedule.normalized(), user: o.User, command: o.Command, environment: o.Environment}
}

// setContent sets the outputs that show the content of the file. It reports false, and keeps the
// entry, if the file is not exactly one entry.
func (o *Output) setContent(existing []byte) bool {
	e, ok := parse(existing)
	if ok {
		o.Schedule, o.User, o.Command = Schedule(e.schedule), e.user, e.command
		o.Environment = map[string]string{}
		maps.Copy(o.Environment, e.environment)
	}
	shown := o.entry()
	o.Intact = ok && bytes.Equal(existing, shown.render())
	o.UnexpectedLines = shown.unexpectedLines(existing)
	return ok
}

// shows reports whether the state has the entry and the unexpected lines of this content of the file.
func (o *Output) shows(existing []byte) bool {
	now := *o
	now.setContent(existing)
	return bytes.Equal(now.entry().render(), o.entry().render()) && slices.Equal(now.UnexpectedLines, o.UnexpectedLines)
}

// Update implements [runtime.TypedResource].
func (c *Cron) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Cron, *Output]) (*Output, error) {
	h := scope.Host
	if err := c.checkUserExists(ctx, h); err != nil {
		return nil, err
	}
	if err := c.file().Update(ctx, h, c.wanted().render(), prior.Observed.shows); err != nil {
		return nil, err
	}
	return c.output(h), nil
}

// Delete implements [runtime.TypedResource].
func (c *Cron) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return c.file().Remove(ctx, scope.Host)
}

func (c *Cron) output(h host.Host) *Output {
	wanted := c.file().Wanted()
	return &Output{
		Host: new(h.Name()), Name: c.Name, Schedule: c.Schedule, User: c.User, Command: c.Command, Environment: c.Environment,
		Path: c.path(), Intact: true, UnexpectedLines: []string{}, Mode: wanted.Mode, Owner: wanted.Owner, Group: wanted.Group,
	}
}

package resourcetest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// CommandFaults runs the lifecycle of an object that is managed by commands of a host: a create, an
// update and a destroy. Each command has each fault once: the connection is lost, the disk is full, or the
// provider or its client is killed. An error must name the host and the cause, the next run must
// complete the step, and the destroy must leave the host as it was before.
type CommandFaults struct {
	Types           func() runtime.Definition // returns new registrations
	TypeName        string
	Create, Changed Attrs
	// Host returns the configuration of a new host, with a name and a Run that has the effects of
	// the commands, and a function that returns the state of the host as text.
	Host func(t *testing.T) (config memory.Config, state func() string)
	// Waits is set if operations of the resource sleep. The lifecycles then run in a synctest bubble.
	Waits bool
}

// The faults of a command.
const (
	faultNotStarted     = "not started"     // the connection is lost before the command starts
	faultResultLost     = "result lost"     // the connection is lost before the result arrives
	faultDiskFull       = "disk full"       // the command fails, without an effect
	faultClientKilled   = "client killed"   // while the command runs
	faultProviderKilled = "provider killed" // while the command runs
)

// Run runs the lifecycles. In the fast tier, the only fault is that the provider is killed.
func (f CommandFaults) Run(t *testing.T) {
	t.Helper()
	all := []string{faultNotStarted, faultResultLost, faultDiskFull, faultClientKilled, faultProviderKilled}
	for _, fault := range tier.Pick(all[4:], all, all) {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			n, hit := 0, true
			for hit {
				n++
				hit = false // if the lifecycle ends the test
				if f.Waits {
					synctest.Test(t, func(t *testing.T) { hit = f.life(t, fault, n) })
				} else {
					hit = f.life(t, fault, n)
				}
			}
			if n < 7 { // each of the three steps reads and changes the object
				t.Errorf("got %d commands, want at least 6", n-1)
			}
		})
	}
}

// life runs a lifecycle in which the n-th command has the fault, and reports whether
// it has at least n commands.
func (f CommandFaults) life(t *testing.T, fault string, n int) bool {
	t.Helper()
	config, state := f.Host(t)
	commands := &faultyCommands{run: config.Run, n: n, fault: fault}
	config.Run = commands.do
	h := memory.New(config)
	before := state()
	o := NewObject(t, NewOn(t, f.Types(), h), f.TypeName)
	step := func(set Attrs) diag.Diagnostics {
		if diags := o.Read(); diags.HasErrors() || o.State.IsNull() && set == nil {
			return diags
		}
		if set == nil {
			return o.DeleteNow()
		}
		plan := o.Plan(set)
		if plan.Diagnostics.HasErrors() || !o.Tainted && plan.PlannedState.RawEquals(o.State) { // clients do not apply such a plan
			return plan.Diagnostics
		}
		return o.ApplyPlan(set, plan)
	}
	again := false
	for _, set := range []Attrs{f.Create, f.Changed, nil} {
		was := *o
		diags := step(set)
		if !again && commands.hit() {
			again = true
			switch text := diags.Error(); {
			case commands.killed():
				*o = was
			case !diags.HasErrors(): // the step is complete in spite of the fault
				o.Provider = NewOn(t, f.Types(), h)
				if set != nil {
					o.NoChange(set)
				}
				continue
			case !strings.Contains(text, config.Name) || !strings.Contains(text, commands.cause()):
				t.Errorf("%s, command %d: the error lacks the host or the cause: %v", fault, n, diags)
			}
			if fault == faultProviderKilled {
				o.Private = nil
			}
			o.Provider = NewOn(t, f.Types(), h)
			commands.resume()
			if diags = step(set); set != nil && !diags.HasErrors() {
				o.NoChange(set)
			}
		}
		if diags.HasErrors() {
			t.Fatalf("%s, command %d: %v", fault, n, diags)
		}
	}
	if after := state(); after != before {
		t.Errorf("%s, command %d: after the destroy, the state of the host is %q, want %q", fault, n, after, before)
	}
	return commands.hit()
}

var errNoAnswer = fmt.Errorf("no answer: %w", host.ErrLost)

const diskFull = "No space left on device"

// faultyCommands runs commands. The n-th command has the fault.
type faultyCommands struct {
	run   func(context.Context, host.Command) (host.Result, error)
	n     int
	fault string

	mu    sync.Mutex
	count int
	ended bool // whether no command starts any more
}

// hit reports whether the n-th command was requested.
func (c *faultyCommands) hit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count >= c.n
}

// killed reports whether the fault kills the provider or its client.
func (c *faultyCommands) killed() bool {
	return c.fault == faultClientKilled || c.fault == faultProviderKilled
}

// cause returns the part of errors that names the fault.
func (c *faultyCommands) cause() string {
	if c.fault == faultDiskFull {
		return diskFull
	}
	return errNoAnswer.Error()
}

// resume lets commands start again.
func (c *faultyCommands) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = false
}

func (c *faultyCommands) do(ctx context.Context, cmd host.Command) (host.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return host.Result{}, &host.NotStartedError{Err: errNoAnswer}
	}
	if c.count++; c.count != c.n {
		return c.run(ctx, cmd)
	}
	switch c.fault {
	case faultNotStarted:
		return host.Result{}, &host.NotStartedError{Err: errNoAnswer}
	case faultDiskFull:
		_, err := io.WriteString(cmd.Stderr, "sh: write error: "+diskFull+"\n")
		return host.Result{ExitCode: 2}, err
	}
	c.ended = c.killed()
	_, err := c.run(ctx, cmd)
	if err == nil {
		err = errNoAnswer // the result does not arrive
	}
	return host.Result{}, err
}

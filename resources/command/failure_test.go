package command_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// wantTainted checks that the object is in the state and tainted, and that an apply creates it again.
func (c counter) wantTainted(set attrs) {
	c.T.Helper()
	if c.State.IsNull() || !c.Tainted {
		c.T.Fatalf("the object is not in the state, or not tainted: %#v", c.State)
	}
	c.Refresh() // the result of read makes no difference
	plan := c.Plan(set)
	if plan.Diagnostics.HasErrors() {
		c.T.Fatal(plan.Diagnostics)
	}
	c.ran()
	if diags := c.ApplyPlan(set, plan); diags.HasErrors() {
		c.T.Fatal(diags)
	}
	c.wantRan("delete", "create")
	c.NoChange(set)
}

func TestCommandFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		more      attrs
		attribute string
		want      []string
		not       string
	}{
		"exit code": {
			attrs{"create": str("echo hidden text; echo first >&2; echo second >&2; exit 3")},
			"create",
			[]string{"the command create on host local ended with exit code 3", "output on stderr:\nfirst\nsecond"},
			"hidden text",
		},
		"no output on stderr": {attrs{"create": str("echo out; exit 3")}, "create", []string{"exit code 3", "output on stdout:\nout"}, "stderr"},
		"no output":           {attrs{"create": str("exit 3")}, "create", []string{"exit code 3, without output"}, ""},
		"exit code not allowed": {
			attrs{"create": str("exit 3"), "allowed_exit_codes": numbers(0, 2)}, "create", []string{"exit code 3, which is not one of allowed_exit_codes (0, 2)"}, "",
		},
		"command not found":         {attrs{"create": str("no-such-command-here")}, "create", []string{"exit code 127", "not found"}, ""},
		"signal":                    {attrs{"create": str("kill -TERM $$")}, "create", []string{"by signal TERM (exit code 143)"}, ""},
		"much output":               {attrs{"create": str("i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1")}, "create", []string{"The end of its output on stderr:\nline 1", "line 19999"}, "line 10000\n"},
		"sensitive output":          {attrs{"create": str("echo out; echo hush >&2; exit 3"), "sensitive_output": cty.True}, "create", []string{"exit code 3. Its output is not shown, since sensitive_output is set"}, "hush"},
		"terminal sequences":        {attrs{"create": str(`printf '\033[31mred\033[0m \033]0;title\007\rover\a' >&2; exit 3`)}, "create", []string{"stderr:\nred over"}, "\x1b"},
		"timeout":                   {attrs{"create": str("echo begun >&2; sleep 60"), "timeout": str("3s")}, "timeout", []string{"the command create on host local did not end within 3s", "was killed", "begun"}, ""},
		"read after create":         {attrs{"read": str("echo why >&2; exit 7")}, "read", []string{"the command read on host local ended with exit code 7", "absent_exit_codes = [7]", "why"}, ""},
		"read with too much output": {attrs{"read": str("head -c 2000000 /dev/zero | tr '\\0' x")}, "read", []string{"larger than 1 MiB", "sha256sum"}, "xxxx"},
		"read with invalid UTF-8":   {attrs{"read": str(`printf '\377'`)}, "read", []string{"not UTF-8 text", "base64"}, "\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			set := c.set(tt.more)
			plan := c.Plan(set)
			if plan.Diagnostics.HasErrors() {
				t.Fatal(plan.Diagnostics)
			}
			diags := c.ApplyPlan(set, plan)
			resourcetest.WantError(t, diags, tt.attribute, tt.want...)
			if tt.not != "" && strings.Contains(diags.Error(), tt.not) {
				t.Errorf("the error contains %q: %v", tt.not, diags)
			}
			c.wantTainted(c.set(nil))
		})
	}
}

// TestCommandAbsentAfterCreate checks that an object that read reports as absent after create is
// tainted, and that a refresh removes it from the state.
func TestCommandAbsentAfterCreate(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"read": str("exit 7"), "absent_exit_codes": numbers(7)})
	resourcetest.WantError(t, c.ApplyPlan(set, c.Plan(set)), "read", "the command create succeeded on host local", "the object does not exist")
	if c.State.IsNull() || !c.Tainted {
		t.Fatal("an object that may exist is not in the state, or not tainted")
	}
	if c.Refresh(); !c.State.IsNull() {
		t.Error("an object that does not exist is in the state")
	}
}

// TestCommandUntainted checks that an unfinished object that was untainted is updated like
// any other.
func TestCommandUntainted(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"create": str("echo one >thing; exit 3"), "update": str(updates)})
	resourcetest.WantError(t, c.ApplyPlan(set, c.Plan(set)), "create", "exit code 3")
	c.Tainted = false
	c.NoChange(set)
	set["triggers"] = texts("a", "1")
	c.Apply(set)
	c.WantAttrs(attrs{"observed": str("two")})
	resourcetest.Must(t, os.Remove(c.path("thing")))
	resourcetest.WantError(t, c.Read(), "read", "exit code 1")
}

// TestCommandWithoutInterpreter checks that a warning has a remedy if neither create nor
// delete can run.
func TestCommandWithoutInterpreter(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"interpreter": cty.ListVal([]cty.Value{str("/no/such/shell")})})
	resourcetest.WantError(t, c.ApplyPlan(set, c.Plan(set)), "create", "exit code 127", "/no/such/shell")
	c.Refresh()
	diags := c.Destroy()
	resourcetest.WantError(t, diags, "delete", "exit code 127")
	if !strings.Contains(diags.Error(), "now the command delete failed") || !strings.Contains(diags.Error(), "state rm") {
		t.Errorf("the diagnostics lack \"now the command delete failed\" or \"state rm\": %v", diags)
	}
}

// TestCommandUpdateFails checks that a failed update is planned again.
func TestCommandUpdateFails(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.Apply(c.set(attrs{"triggers": texts("a", "1")}))
	c.ran()
	set := c.set(attrs{"triggers": texts("a", "2"), "update": str("echo update >>log; [ -e ready ] || exit 4; " + updates)})
	plan := c.Plan(set)
	resourcetest.WantError(t, c.ApplyPlan(set, plan), "update", "the command update on host local ended with exit code 4")
	c.WantAttrs(attrs{"triggers": texts("a", "1"), "stdout": str("made"), "observed": str("one")})
	if c.Tainted {
		t.Error("an object whose update failed is tainted")
	}
	resourcetest.Write(t, c.path("ready"), "", 0o600)
	c.Apply(set)
	c.wantRan("update", "update", "update")
	c.WantAttrs(attrs{"stdout": str("changed"), "observed": str("two")})
}

func TestCommandDeleteFails(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.Apply(c.set(attrs{"delete": str("echo busy >&2; [ -e ready ]")}))
	resourcetest.WantError(t, c.Destroy(), "delete", "the command delete on host local ended with exit code 1", "busy")
	if c.State.IsNull() {
		t.Fatal("an object that was not deleted is not in the state")
	}
	resourcetest.Write(t, c.path("ready"), "", 0o600)
	if diags := c.Destroy(); diags.HasErrors() {
		t.Error(diags)
	}
}

// TestCommandNotStarted checks that the state has no object if the command create was not
// started.
func TestCommandNotStarted(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"working_directory": str(c.path("absent"))})
	resourcetest.WantError(t, c.ApplyPlan(set, c.Plan(set)), "", "the command create was not started", c.path("absent"), "no such file")
	if !c.State.IsNull() {
		t.Errorf("an object of a command that was not started is in the state: %#v", c.State)
	}
}

// TestCommandLost checks that the object is in the state, tainted, if the connection is lost
// during create, since the object may exist.
func TestCommandLost(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web1", Run: func(context.Context, host.Command) (host.Result, error) {
		return host.Result{}, os.ErrClosed
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_command")
	set := attrs{"create": str("true")}
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "", "the result of the command create is lost", "may have run on host web1", "closed")
	if o.State.IsNull() || !o.Tainted {
		t.Error("an object that may exist is not in the state, or not tainted")
	}
}

// TestCommandFaults makes each command of an object have each fault of [resourcetest.CommandFaults] once.
// The commands of the object can be repeated.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	set := func(trigger string) attrs {
		return attrs{
			"create": str("echo one >thing"), "read": str("cat thing"), "update": str("echo two >thing"), "delete": str("rm -f thing"),
			"absent_exit_codes": numbers(1), "triggers": texts("a", trigger),
		}
	}
	here, err := local.New()
	resourcetest.Must(t, err)
	resourcetest.CommandFaults{
		Types: func() runtime.Definition {
			return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"command": command.Resource()}}
		},
		TypeName: "posix_command", Create: set("1"), Changed: set("2"),
		Host: func(t *testing.T) (memory.Config, func() string) {
			t.Helper()
			dir := t.TempDir()
			run := func(ctx context.Context, cmd host.Command) (host.Result, error) {
				cmd.Dir = dir
				return here.Run(ctx, cmd)
			}
			return memory.Config{Name: "town", Run: run}, func() string {
				entries, err := os.ReadDir(dir)
				resourcetest.Must(t, err)
				return fmt.Sprint(entries)
			}
		},
	}.Run(t)
}

// TestCommandUnreachableHost checks that an unreachable host is not reported as an error of
// the command.
func TestCommandUnreachableHost(t *testing.T) {
	t.Parallel()
	down := false
	h := memory.New(memory.Config{Name: "web1", Run: func(ctx context.Context, _ host.Command) (host.Result, error) {
		if down {
			if _, limited := ctx.Deadline(); limited {
				<-ctx.Done()
				return host.Result{}, &host.NotStartedError{Err: ctx.Err()}
			}
			return host.Result{}, &host.NotStartedError{Err: os.ErrDeadlineExceeded}
		}
		return host.Result{}, nil
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_command")
	o.Apply(attrs{"create": str("true"), "read": str("true")})
	down = true
	diags := o.Read()
	resourcetest.WantError(t, diags, "", "the command read was not started", "web1")
	if len(diags) != 1 {
		t.Errorf("diagnostics %v, want one diagnostic", diags)
	}
	o = resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_command")
	set := attrs{"create": str("true"), "timeout": str("50ms")}
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "timeout", "the command create was not started within 50ms", "web1")
	if !o.State.IsNull() {
		t.Error("an object of a command that was not started is in the state")
	}
}

// TestCommandInterrupted checks that an interrupt kills the command and the processes that
// it started. The named pipe stays open while one of these processes runs.
func TestCommandInterrupted(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"create": str("(echo begun; sleep 600) >pipe & wait")})
	plan := c.Plan(set)
	resourcetest.Must(t, exec.Command("mkfifo", c.path("pipe")).Run())
	opened := make(chan *os.File, 1)
	go func() {
		pipe, err := os.Open(c.path("pipe")) // waits until the command opens it
		if err != nil {
			t.Error(err)
		}
		if line, err := bufio.NewReader(pipe).ReadString('\n'); line != "begun\n" {
			t.Errorf("the command printed %q (%v), want begun", line, err)
		}
		_ = c.Provider.Stop(context.WithoutCancel(t.Context())) // the apply returns the errors
		opened <- pipe
	}()
	resourcetest.WantError(t, c.ApplyPlan(set, plan), "", "the command create on host local was interrupted")
	if c.State.IsNull() || !c.Tainted {
		t.Error("an object that may exist is not in the state, or not tainted")
	}
	pipe := <-opened
	defer pipe.Close()
	resourcetest.Must(t, pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	if _, err := io.ReadAll(pipe); err != nil {
		t.Errorf("a process that the command started is still running: %v", err)
	}
}

func TestCommandConfiguration(t *testing.T) {
	t.Parallel()
	null := cty.NullVal(cty.String)
	for name, tt := range map[string]struct {
		set       attrs
		attribute string
		want      []string
	}{
		"missing create":             {attrs{"create": null}, "create", []string{"required"}},
		"empty command":              {attrs{"create": str("")}, "create", []string{"must not be blank"}},
		"blank command":              {attrs{"read": str(" \n")}, "read", []string{"must not be blank"}},
		"NUL in command":             {attrs{"update": str("a\x00b")}, "update", []string{"NUL"}},
		"relative directory":         {attrs{"working_directory": str("tmp")}, "working_directory", []string{"must start with /"}},
		"zero timeout":               {attrs{"timeout": str("0s")}, "timeout", []string{"must be greater than zero"}},
		"invalid timeout":            {attrs{"timeout": str("5")}, "timeout", []string{"90s"}},
		"empty interpreter":          {attrs{"interpreter": cty.ListValEmpty(cty.String)}, "interpreter", []string{"at least 1"}},
		"blank interpreter argument": {attrs{"interpreter": cty.ListVal([]cty.Value{str("sh"), str("")})}, "interpreter[1]", []string{"must not be blank"}},
		"invalid variable name":      {attrs{"environment": texts("a-b", "x")}, "environment[\"a-b\"]", []string{"ASCII letters, digits"}},
		"digit as variable name":     {attrs{"sensitive_environment": texts("1", "x")}, "", []string{`the variable name "1" must consist of ASCII letters, digits`}},
		"NUL in a variable":          {attrs{"environment_wo": texts("A", "x\x00"), "environment_wo_version": str("1")}, "", []string{"NUL"}},
		"duplicate variable":         {attrs{"environment": texts("A", "x"), "sensitive_environment": texts("A", "y")}, "sensitive_environment", []string{"variable A is also in environment"}},
		"reserved variable":          {attrs{"environment": texts("POSIX_COMMAND_ID", "x")}, "environment", []string{"reserved for the provider"}},
		"stdin and stdin_wo":         {attrs{"stdin": str("x"), "stdin_wo": str("x"), "stdin_wo_version": str("1")}, "stdin_wo", []string{"stdin is already set"}},
		"stdin_wo without version":   {attrs{"stdin_wo": str("x")}, "stdin_wo_version", []string{"must be set too"}},
		"no exit codes":              {attrs{"allowed_exit_codes": cty.SetValEmpty(cty.Number)}, "allowed_exit_codes", []string{"at least 1"}},
		"exit code out of range":     {attrs{"allowed_exit_codes": numbers(256)}, "allowed_exit_codes[256]", []string{"from 0 to 255"}},
		"absent exit code 0":         {attrs{"absent_exit_codes": numbers(0)}, "absent_exit_codes[0]", []string{"from 1 to 255"}},
		"unknown host":               {attrs{"host": str("web")}, "host", []string{`no host "web"`, "local"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := attrs{"create": str("true")}
			maps.Copy(set, tt.set)
			diags := newCommand(t).Plan(set).Diagnostics
			resourcetest.WantError(t, diags, tt.attribute, tt.want...)
		})
	}
}

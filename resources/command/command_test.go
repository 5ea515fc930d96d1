package command_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

func newCommand(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_command")
}

// counter is an object that commands manage: a file, and a log of the commands that ran.
type counter struct {
	*resourcetest.Object
	dir string
}

func newCounter(t *testing.T) counter {
	t.Helper()
	return counter{newCommand(t), t.TempDir()}
}

func (c counter) path(name string) string { return filepath.Join(c.dir, name) }

// set returns a configuration whose commands write their names to the log. The attributes in
// more are added, or replace those of the same name.
func (c counter) set(more attrs) attrs {
	all := attrs{
		"working_directory": str(c.dir),
		"create":            str("echo create $V >>log; echo one >thing; echo made"),
		"read":              str("echo read >>log; cat thing"),
		"delete":            str("echo delete $V >>log; rm -f thing"),
	}
	maps.Copy(all, more)
	return all
}

const updates = "echo update $V >>log; echo two >thing; echo changed"

// ran returns the commands that have run since the last call, except read.
func (c counter) ran() []string {
	c.T.Helper()
	text, err := os.ReadFile(c.path("log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.T.Fatal(err)
	}
	if err := os.WriteFile(c.path("log"), nil, 0o600); err != nil {
		c.T.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	return slices.DeleteFunc(lines, func(line string) bool { return line == "read\n" })
}

func (c counter) wantRan(want ...string) {
	c.T.Helper()
	got := c.ran()
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if !slices.Equal(got, want) {
		c.T.Errorf("commands that ran: %q, want %q", got, want)
	}
}

func texts(pairs ...string) cty.Value {
	all := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = str(pairs[i+1])
	}
	return cty.MapVal(all)
}

func numbers(n ...int64) cty.Value {
	all := make([]cty.Value, len(n))
	for i := range n {
		all[i] = cty.NumberIntVal(n[i])
	}
	return cty.SetVal(all)
}

var printedNames = []string{"exit_code", "sensitive_stderr", "sensitive_stdout", "stderr", "stdout"}

func TestCommandLifecycle(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := func(v string) attrs {
		return c.set(attrs{"update": str(updates), "environment": texts("V", v)})
	}
	plan := c.Plan(set("1"))
	for _, name := range []string{"sensitive_stdout", "sensitive_stderr", "sensitive_observed"} {
		if v := plan.PlannedState.GetAttr(name); !v.IsNull() {
			t.Errorf("%s is planned as %#v, want null", name, v)
		}
	}
	c.Apply(set("1"))
	c.wantRan("create 1")
	c.WantAttrs(attrs{
		"host": str("local"), "stdout": str("made"), "stderr": str(""), "exit_code": cty.NumberIntVal(0), "observed": str("one"),
		"sensitive_output": cty.False, "sensitive_observed": cty.NullVal(cty.String), "allowed_exit_codes": numbers(0),
	})
	id := c.Attr("id")
	if len(id.AsString()) < 16 || !c.Identity.GetAttr("id").RawEquals(id) {
		t.Errorf("id %#v, identity %#v, want the same ID of at least 16 characters", id, c.Identity)
	}

	c.Changes(set("2"), "environment", "exit_code", "observed", "stderr", "stdout")
	c.Apply(set("2"))
	c.wantRan("update 2")
	c.WantAttrs(attrs{"stdout": str("changed"), "observed": str("two"), "id": id})
	if len(c.Private) > 0 {
		t.Errorf("private data of an object as applied: %s, want none", c.Private)
	}
	if diags := c.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	c.wantRan("delete 2")
	if _, err := os.Lstat(c.path("thing")); !os.IsNotExist(err) {
		t.Errorf("the object still exists after destroy: %v", err)
	}
}

// TestCommandReplaced checks that a change replaces an object, or updates it in place if the
// command update is set.
func TestCommandReplaced(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ was, is cty.Value }{
		"create":                {str("echo create >>log; echo 0 >thing"), str("echo create >>log; echo 1 >thing")},
		"triggers":              {texts("a", "1"), texts("a", "2")},
		"environment":           {texts("A", "1"), texts("A", "2")},
		"sensitive_environment": {texts("A", "1"), texts("A", "2")},
		"stdin":                 {cty.NullVal(cty.String), str("x")},
		"interpreter":           {cty.NullVal(cty.List(cty.String)), cty.ListVal([]cty.Value{str("sh"), str("-c")})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			c.Apply(c.set(attrs{name: tt.was}))
			c.ran()
			plan := c.Plan(c.set(attrs{name: tt.is}))
			if got := replacedFor(plan.RequiresReplace); got != name {
				t.Errorf("the object is replaced because of %q, want %q", got, name)
			}
			c.Apply(c.set(attrs{name: tt.is}))
			c.wantRan("delete", "create")
			// With update, the object is updated in place.
			c.Apply(c.set(attrs{name: tt.was, "update": str(updates)}))
			c.wantRan("update")
		})
	}
}

func replacedFor(paths []cty.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = diag.FormatPath(path)
	}
	return strings.Join(names, " ")
}

// TestCommandRecorded checks that changes of read, delete and their settings, and the removal
// of update, are recorded and cause no command except read to run. A new update runs.
func TestCommandRecorded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		v     cty.Value
		after []string // the outputs that may change
	}{
		"read":               {str("cat thing thing"), []string{"observed"}},
		"delete":             {str("rm -f thing; echo gone >>log"), nil},
		"timeout":            {str("1m"), nil},
		"allowed_exit_codes": {numbers(0, 3), nil},
		"absent_exit_codes":  {numbers(1), nil},
	} {
		for _, update := range []cty.Value{cty.NullVal(cty.String), str(updates)} {
			t.Run(fmt.Sprintf("%s, update %t", name, !update.IsNull()), func(t *testing.T) {
				t.Parallel()
				c := newCounter(t)
				c.Apply(c.set(attrs{"update": update}))
				c.ran()
				set := c.set(attrs{"update": update, name: tt.v})
				want := append([]string{name}, tt.after...)
				slices.Sort(want)
				if plan := c.Changes(set, want...); len(plan.RequiresReplace) > 0 {
					t.Errorf("the object is replaced because of %q, want no replacement", replacedFor(plan.RequiresReplace))
				}
				c.Apply(set)
				c.wantRan()
			})
		}
	}
	t.Run("update is gone", func(t *testing.T) {
		t.Parallel()
		c := newCounter(t)
		c.Apply(c.set(attrs{"update": str(updates)}))
		c.ran()
		c.Changes(c.set(nil), "update")
		c.Apply(c.set(nil))
		c.wantRan()
	})
	t.Run("update is new", func(t *testing.T) {
		t.Parallel()
		c := newCounter(t)
		c.Apply(c.set(nil))
		c.ran()
		c.Apply(c.set(attrs{"update": str(updates)}))
		c.wantRan("update")
	})
}

func TestCommandDrift(t *testing.T) {
	t.Parallel()
	for _, sensitive := range []cty.Value{cty.False, cty.True} {
		t.Run(fmt.Sprintf("sensitive %t", sensitive.True()), func(t *testing.T) {
			t.Parallel()
			observed := "observed"
			if sensitive.True() {
				observed = "sensitive_observed"
			}
			c := newCounter(t)
			set := c.set(attrs{"sensitive_output": sensitive})
			c.Apply(set)
			c.ran()
			resourcetest.Write(t, c.path("thing"), "else\n", 0o600)
			c.Refresh()
			c.Refresh() // the state keeps the drift
			c.WantAttrs(attrs{observed: str("else")})
			plan := c.Plan(set)
			if got := replacedFor(plan.RequiresReplace); got != observed {
				t.Errorf("the object is replaced because of %q, want %q", got, observed)
			}
			c.Apply(set)
			c.wantRan("delete", "create")
			c.WantAttrs(attrs{observed: str("one")})

			// With update, drift is repaired in place.
			set["update"] = str("echo update >>log; echo one >thing")
			c.Apply(set)
			c.ran()
			resourcetest.Write(t, c.path("thing"), "else\n", 0o600)
			c.Refresh()
			if plan := c.Plan(set); len(plan.RequiresReplace) > 0 || plan.PlannedState.GetAttr(observed).IsKnown() {
				t.Errorf("the object is replaced because of %q, planned %#v, want no replacement and an unknown value", replacedFor(plan.RequiresReplace), plan.PlannedState.GetAttr(observed))
			}
			c.Apply(set)
			c.wantRan("update")
			c.WantAttrs(attrs{observed: str("one")})
			if len(c.Private) > 0 {
				t.Errorf("private data after repair: %s, want none", c.Private)
			}
		})
	}
}

// TestCommandSensitiveOutput checks that known output moves between the plain and the sensitive
// attributes if sensitive_output changes.
func TestCommandSensitiveOutput(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	null := cty.NullVal(cty.String)
	shown := attrs{"stdout": str("made"), "stderr": str(""), "observed": str("one"), "sensitive_stdout": null, "sensitive_stderr": null, "sensitive_observed": null}
	hidden := attrs{"sensitive_stdout": str("made"), "sensitive_stderr": str(""), "sensitive_observed": str("one"), "stdout": null, "stderr": null, "observed": null}
	for _, name := range append([]string{"sensitive_observed"}, printedNames...) {
		if want := strings.HasPrefix(name, "sensitive_"); c.Body.Attributes[name].Sensitive != want {
			t.Errorf("%s is sensitive: %t, want %t", name, !want, want)
		}
	}
	c.Apply(c.set(nil))
	c.WantAttrs(shown)
	c.ran()
	c.Apply(c.set(attrs{"sensitive_output": cty.True}))
	c.WantAttrs(hidden)
	c.Apply(c.set(attrs{"sensitive_output": cty.True, "timeout": str("1m")}))
	c.WantAttrs(hidden)
	c.Apply(c.set(nil))
	c.WantAttrs(shown)
	c.wantRan()
}

// TestCommandSensitiveOutputShown checks that output with a sensitive value does not become plain if
// sensitive_output becomes false.
func TestCommandSensitiveOutputShown(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	null := cty.NullVal(cty.String)
	secret := attrs{
		"create": str(`echo one >thing; echo "$TOKEN"; echo "a $TOKEN" | base64 >&2`), "read": str(`echo "read $TOKEN"`),
		"sensitive_environment": texts("TOKEN", "hunter2-planted"), "sensitive_output": cty.True,
	}
	c.Apply(c.set(secret))
	hidden := attrs{"sensitive_stdout": str("hunter2-planted"), "sensitive_observed": str("read hunter2-planted"), "stdout": null, "stderr": null, "observed": null}
	c.WantAttrs(hidden)

	// Each plan compares the output of read with that in the state, which therefore cannot be null.
	secret["sensitive_output"] = cty.False
	diags := c.Plan(c.set(secret)).Diagnostics
	resourcetest.WantError(t, diags, "sensitive_output", "the output of the command read on host local contains a sensitive or write-only value")
	c.WantAttrs(hidden)

	secret["read"] = str("cat thing")
	shown := c.ApplyPlan(c.set(secret), c.Plan(c.set(secret)))
	resourcetest.NoErrors(t, shown)
	for _, name := range []string{"stdout", "stderr"} {
		if want := "The " + name + " of the last create or update on host local contains a sensitive or write-only value, so " + name + " is null"; !strings.Contains(shown.Error(), want) {
			t.Errorf("no warning with %q in the diagnostics: %v", want, shown)
		}
	}
	c.WantAttrs(attrs{"sensitive_stdout": null, "sensitive_stderr": null, "sensitive_observed": null, "stdout": null, "stderr": null, "observed": str("one")})
	c.NoChange(c.set(secret))
	c.wantRan()
	if text := append(diags, shown...).Error(); strings.Contains(text, "planted") {
		t.Errorf("a secret is shown: %s", text)
	}
}

func TestCommandGone(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := c.set(attrs{"absent_exit_codes": numbers(1)})
	c.Apply(set)
	resourcetest.Must(t, os.Remove(c.path("thing")))
	c.Refresh()
	if !c.State.IsNull() {
		t.Fatal("an object that was removed is in the state")
	}
	c.ran()
	c.Apply(set)
	c.wantRan("create")

	// An unexpected exit code is an error that suggests absent_exit_codes.
	set = c.set(nil)
	c.Apply(set)
	resourcetest.Must(t, os.Remove(c.path("thing")))
	resourcetest.WantError(t, c.Read(), "read", "exit code 1", "set absent_exit_codes = [1]", "No such file")
	// The remedy: a plan without a refresh, and an apply that runs no command.
	plan := c.Plan(c.set(attrs{"absent_exit_codes": numbers(1)}))
	c.ran()
	if diags := c.ApplyPlan(c.set(attrs{"absent_exit_codes": numbers(1)}), plan); diags.HasErrors() {
		t.Fatal(diags)
	}
	c.wantRan()
	c.Refresh()
	if !c.State.IsNull() {
		t.Error("an object that was removed is in the state")
	}
}

// TestCommandUnknowns checks which unknown values replace the object, that a plan shows the ID of
// an object that it keeps, but no output that may change, and that an apply fails if it needs
// update but the value of update has become null.
func TestCommandUnknowns(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	unknowns := cty.MapVal(map[string]cty.Value{"a": unknown})
	c := newCounter(t)
	c.Apply(c.set(attrs{"triggers": texts("a", "1")}))
	for name, tt := range map[string]struct {
		more    attrs
		replace string
	}{
		"triggers":                 {attrs{"triggers": unknowns}, "triggers"},
		"triggers in place":        {attrs{"triggers": unknowns, "update": str(updates)}, ""},
		"unknown update":           {attrs{"triggers": unknowns, "update": unknown}, ""},
		"only update unknown":      {attrs{"triggers": texts("a", "1"), "update": unknown}, ""},
		"create":                   {attrs{"triggers": texts("a", "1"), "create": unknown}, "create"},
		"delete":                   {attrs{"triggers": texts("a", "1"), "delete": unknown}, ""},
		"write-only":               {attrs{"triggers": texts("a", "1"), "stdin_wo": unknown, "stdin_wo_version": str("1")}, "stdin_wo_version"},
		"write-only environment":   {attrs{"triggers": texts("a", "1"), "environment_wo": unknowns, "environment_wo_version": str("1")}, "environment_wo_version"},
		"unknown host":             {attrs{"triggers": texts("a", "1"), "host": unknown}, "host"},
		"unknown host with update": {attrs{"triggers": texts("a", "1"), "host": unknown, "update": str(updates)}, "host"},
		"unknown timeout":          {attrs{"triggers": texts("a", "1"), "timeout": unknown}, ""},
		"unknown exit codes":       {attrs{"triggers": texts("a", "1"), "allowed_exit_codes": cty.UnknownVal(cty.Set(cty.Number))}, ""},
	} {
		plan := c.Plan(c.set(tt.more))
		if plan.Diagnostics.HasErrors() {
			t.Errorf("%s: %v", name, plan.Diagnostics)
			continue
		}
		if got := replacedFor(plan.RequiresReplace); got != tt.replace {
			t.Errorf("%s: the object is replaced because of %q, want %q", name, got, tt.replace)
		}
		if tt.replace == "" && !plan.PlannedState.GetAttr("id").RawEquals(c.Attr("id")) {
			t.Errorf("%s: the id is planned to change, but no update changes it", name)
		}
		if name != "triggers" && plan.PlannedState.GetAttr("stdout").IsKnown() {
			t.Errorf("%s: stdout is planned as known, but may change", name)
		}
	}
	// Unknown values may become null.
	plan := c.Plan(c.set(attrs{"triggers": texts("a", "2"), "update": unknown}))
	resourcetest.WantError(t, c.ApplyPlan(c.set(attrs{"triggers": texts("a", "2")}), withoutUpdate(plan)), "update", "is null")
}

// withoutUpdate returns the plan once update is known to be null.
func withoutUpdate(plan provider.PlanResourceChangeResponse) provider.PlanResourceChangeResponse {
	all := plan.PlannedState.AsValueMap()
	all["update"] = cty.NullVal(cty.String)
	plan.PlannedState = cty.ObjectVal(all)
	return plan
}

package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

func TestCommandData(t *testing.T) {
	t.Parallel()
	dir := resourcetest.TempDir(t)
	null := cty.NullVal(cty.String)
	for name, tt := range map[string]struct {
		set  attrs
		want attrs
	}{
		"output": {
			attrs{"command": str("echo out; echo err >&2")},
			attrs{"stdout": str("out"), "stderr": str("err"), "exit_code": cty.NumberIntVal(0), "host": str("local"), "sensitive_stdout": null, "sensitive_stderr": null},
		},
		"no output":                 {attrs{"command": str("true")}, attrs{"stdout": str(""), "stderr": str("")}},
		"trailing newlines":         {attrs{"command": str(`printf '\n a \n\n\n'`)}, attrs{"stdout": str("\n a ")}},
		"allowed exit code":         {attrs{"command": str("exit 3"), "allowed_exit_codes": numbers(0, 3)}, attrs{"exit_code": cty.NumberIntVal(3)}},
		"environment":               {attrs{"command": str(`echo "$A-$B"`), "environment": texts("A", "a b"), "sensitive_environment": texts("B", "c'd")}, attrs{"stdout": str("a b-c'd")}},
		"input":                     {attrs{"command": str("tr a-z A-Z"), "stdin": str("loud\n")}, attrs{"stdout": str("LOUD")}},
		"no input":                  {attrs{"command": str("cat")}, attrs{"stdout": str("")}},
		"directory":                 {attrs{"command": str("pwd -P"), "working_directory": str(dir)}, attrs{"stdout": str(dir)}},
		"another interpreter":       {attrs{"command": str(`print "$x"`), "interpreter": cty.ListVal([]cty.Value{str("printf"), str("%s")})}, attrs{"stdout": str(`print "$x"`)}},
		"sensitive output":          {attrs{"command": str("echo out; echo err >&2"), "sensitive_output": cty.True}, attrs{"stdout": null, "stderr": null, "sensitive_stdout": str("out"), "sensitive_stderr": str("err")}},
		"maximum output":            {attrs{"command": str("head -c 1048576 /dev/zero | tr '\\0' x")}, attrs{"stdout": str(strings.Repeat("x", 1<<20))}},
		"non-ASCII output":          {attrs{"command": str("echo é")}, attrs{"stdout": str("é")}},
		"too much output on stderr": {attrs{"command": str("head -c 1048577 /dev/zero | tr '\\0' x >&2")}, attrs{"stdout": str(""), "stderr": null}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := resourcetest.NewData(t, resourcetest.New(t, types), "posix_command")
			resourcetest.NoErrors(t, q.Read(tt.set))
			q.WantAttrs(tt.want)
		})
	}
	for name, tt := range map[string]struct {
		set       attrs
		attribute string
		want      []string
	}{
		"exit code":                     {attrs{"command": str("echo why >&2; exit 3")}, "command", []string{"the command on host local ended with exit code 3", "why"}},
		"timeout":                       {attrs{"command": str("sleep 60"), "timeout": str("3s")}, "timeout", []string{"did not end within 3s"}},
		"too much output":               {attrs{"command": str("head -c 1048577 /dev/zero | tr '\\0' x")}, "command", []string{"is larger than 1 MiB", "sha256sum"}},
		"invalid UTF-8":                 {attrs{"command": str(`printf '\377'`)}, "command", []string{"not UTF-8 text", "base64"}},
		"blank command":                 {attrs{"command": str(" ")}, "command", []string{"must not be blank"}},
		"unknown host":                  {attrs{"command": str("true"), "host": str("web")}, "host", []string{`no host "web"`}},
		"duplicate variable":            {attrs{"command": str("true"), "environment": texts("A", "x"), "sensitive_environment": texts("A", "y")}, "sensitive_environment", []string{"variable A"}},
		"sensitive value in output":     {attrs{"command": str("echo $A"), "sensitive_environment": texts("A", "hush")}, "command", []string{"sensitive or write-only", "sensitive_output = true"}},
		"failure with sensitive output": {attrs{"command": str("echo hush; exit 3"), "sensitive_output": cty.True}, "command", []string{"not shown, since sensitive_output is set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := resourcetest.NewData(t, resourcetest.New(t, types), "posix_command").Read(tt.set)
			resourcetest.WantError(t, diags, tt.attribute, tt.want...)
			if strings.Contains(diags.Error(), "hush") {
				t.Errorf("the output is shown: %v", diags)
			}
		})
	}
}

func TestCommandEphemeral(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_command")
	set := attrs{
		"command": str(`echo "token-$NAME"; echo note >&2`), "close": str(`cat >closed; echo "$NAME" >>closed`),
		"environment": texts("NAME", "web"), "working_directory": str(dir),
	}
	resourcetest.NoErrors(t, q.Open(set))
	q.WantAttrs(attrs{"stdout": str("token-web"), "stderr": str("note"), "exit_code": cty.NumberIntVal(0), "host": str("local")})
	for _, name := range []string{"stdout", "stderr"} {
		if !q.Body.Attributes[name].Sensitive {
			t.Errorf("%s is not sensitive", name)
		}
	}
	if !q.RenewAt.IsZero() {
		t.Errorf("a renewal is due at %s, want none", q.RenewAt)
	}
	if _, err := os.Lstat(filepath.Join(dir, "closed")); !os.IsNotExist(err) {
		t.Errorf("close ran before Close was called (%v)", err)
	}
	resourcetest.NoErrors(t, q.Close())
	resourcetest.WantFile(t, filepath.Join(dir, "closed"), "token-webweb\n", 0o644)

	// Without close, the private data does not contain a command.
	resourcetest.NoErrors(t, q.Open(attrs{"command": str("echo x")}))
	if strings.Contains(string(q.Private), "echo") {
		t.Errorf("the private data of an ephemeral resource without close has a command: %s", q.Private)
	}
	resourcetest.NoErrors(t, q.Close())
	// Errors show neither input nor standard output.
	diags := q.Open(attrs{"command": str("echo planted-output; cat; exit 3"), "stdin": str("planted-input")})
	resourcetest.WantError(t, diags, "command", "exit code 3, without output on stderr")
	diags = append(diags, q.Open(attrs{"command": str("echo why $A >&2; cat >&2; exit 3"), "stdin": str("planted-input"), "environment": texts("A", "planted-variable")})...)
	resourcetest.WantError(t, diags, "command", "why (sensitive value)")
	resourcetest.NoErrors(t, q.Open(attrs{"command": str("echo planted-output"), "close": str("cat >&2; exit 4")}))
	closed := q.Close()
	resourcetest.WantError(t, closed, "", "the command close on host local ended with exit code 4", "(sensitive value)")
	if text := append(diags, closed...).Error(); strings.Contains(text, "planted") {
		t.Errorf("a secret is shown: %s", text)
	}
}

// TestCommandSecrets checks that no message contains sensitive or write-only values, however
// the command prints them.
func TestCommandSecrets(t *testing.T) {
	t.Parallel()
	const first, second, third, fourth = "hunter2-planted", "planted line one\nplanted line two", "planted-wo", "planted-stdin"
	for name, prints := range map[string]string{
		"plainly":    `cat >&2; echo "$A $B $C" >&2`,
		"traced":     `set -x; : "$A" "$B" "$C"; cat >&2`,
		"in colours": `printf '%s\n' "$A" | sed "s/./&$(printf '\033[1m')/5" >&2; cat >&2`,
		"at length":  `i=0; while [ $i -lt 5000 ]; do echo "$A$C" >&2; i=$((i+1)); done`,
		"in a line":  `i=0; while [ $i -lt 5000 ]; do printf '%s' "$A$C" >&2; i=$((i+1)); done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCommand(t)
			set := attrs{
				"create": str(prints + "; exit 3"), "read": str(strings.ReplaceAll(prints, "cat >&2", ":") + "; exit 3"),
				"sensitive_environment": texts("A", first, "B", second),
				"environment_wo":        texts("C", third), "environment_wo_version": str("1"),
				"stdin_wo": str(fourth), "stdin_wo_version": str("1"),
			}
			diags := c.ApplyPlan(set, c.Plan(set))
			resourcetest.WantError(t, diags, "create", "exit code 3", "(sensitive value)")
			if strings.Contains(diags.Error(), "planted") {
				t.Errorf("a secret is shown: %v", diags)
			}
			for _, name := range []string{"environment_wo", "stdin_wo"} {
				if !c.Attr(name).IsNull() {
					t.Errorf("the state has %s", name)
				}
			}
		})
	}
}

// TestCommandWriteOnly checks that write-only values are passed to create and update, and
// are not needed afterwards.
func TestCommandWriteOnly(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	set := func(v, version string) attrs {
		return attrs{
			"working_directory": str(c.dir), "create": str(`cat >thing; echo "$A" >>thing`), "update": str(`cat >thing; echo "$A" >>thing; echo update >>log`),
			"read": str(`cksum thing; echo "$A"`), "delete": str(`echo "delete [$A]" >>log; rm thing`),
			"environment_wo": texts("A", v), "environment_wo_version": str(version), "stdin_wo": str("in " + v + "\n"), "stdin_wo_version": str(version),
		}
	}
	c.Apply(set("one", "1"))
	resourcetest.WantFile(t, c.path("thing"), "in one\none\n", 0o644)
	c.NoChange(set("two", "1"))
	c.Apply(set("two", "2"))
	resourcetest.WantFile(t, c.path("thing"), "in two\ntwo\n", 0o644)
	c.wantRan("update")
	resourcetest.NoErrors(t, c.Destroy())
	c.wantRan("delete []")
}

// TestCommandReadPrintsWriteOnly checks that a write-only value that read prints is in no message and not in the
// state.
func TestCommandReadPrintsWriteOnly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ read, want string }{
		"plainly":     {"cat thing", "contains a sensitive or write-only value"},
		"encoded":     {"base64 <thing", "contains a sensitive or write-only value"},
		"in an error": {"cat thing >&2; exit 3", "exit code 3"},
	} {
		for _, sensitive := range []cty.Value{cty.False, cty.True} {
			c := newCounter(t)
			set := attrs{
				"working_directory": str(c.dir), "create": str(`cat >thing; echo "$A" >>thing`), "read": str(tt.read), "sensitive_output": sensitive,
				"environment_wo": texts("A", "planted-variable"), "environment_wo_version": str("1"), "stdin_wo": str("planted-input\n"), "stdin_wo_version": str("1"),
			}
			diags := c.ApplyPlan(set, c.Plan(set))
			resourcetest.WantError(t, diags, "read", tt.want)
			c.Refresh()
			state := fmt.Sprintf("%#v", c.State)
			for _, secret := range []string{"planted", "cGxhbnRlZ"} {
				if strings.Contains(diags.Error(), secret) || strings.Contains(state, secret) {
					t.Errorf("%s: a secret is shown: %v; the state is %s", name, diags, state)
				}
			}
		}
	}
}

// TestCommandPassesOutput checks that the output of create or update is passed to later commands, even if it is
// sensitive.
func TestCommandPassesOutput(t *testing.T) {
	t.Parallel()
	for _, sensitive := range []cty.Value{cty.False, cty.True} {
		c := newCounter(t)
		set := c.set(attrs{
			"create": str("echo number 7"), "update": str(`echo "update [$POSIX_COMMAND_STDOUT]" >>log; echo number 8`),
			"read": str(`echo "$POSIX_COMMAND_STDOUT $POSIX_COMMAND_ID"`), "delete": str(`echo "delete [$POSIX_COMMAND_STDOUT] $POSIX_COMMAND_ID" >>log`),
			"sensitive_output": sensitive,
		})
		c.Apply(set)
		id := c.Attr("id").AsString()
		name := "observed"
		if sensitive.True() {
			name = "sensitive_observed"
		}
		c.WantAttrs(attrs{name: str("number 7 " + id)})
		set["triggers"] = texts("a", "b")
		c.Apply(set)
		resourcetest.NoErrors(t, c.Destroy())
		c.wantRan("update [number 7]", "delete [number 8] "+id)
	}
	// Output that is too large for a variable is not passed.
	c := newCounter(t)
	set := c.set(attrs{"create": str("head -c 100000 /dev/zero | tr '\\0' x"), "read": str(`echo "[${POSIX_COMMAND_STDOUT-unset}]"`)})
	c.Apply(set)
	c.WantAttrs(attrs{"observed": str("[unset]")})
}

// TestCommandOutputNotKept checks that output that cannot be an attribute is null, with a
// warning.
func TestCommandOutputNotKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ create, says string }{
		"too much output":               {"head -c 1048577 /dev/zero | tr '\\0' x", "is larger than 1 MiB, so stdout is null"},
		"invalid UTF-8":                 {`printf 'a\377b'`, "The stdout of the command create on host local is not UTF-8 text, so stdout is null"},
		"sensitive value in output":     {`echo "a $S b"`, "contains a sensitive or write-only value, so stdout is null"},
		"write-only variable in output": {`echo "a $W b"`, "contains a sensitive or write-only value, so stdout is null"},
		"write-only input in output":    {`cat`, "contains a sensitive or write-only value, so stdout is null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCommand(t)
			set := attrs{
				"create": str(tt.create), "sensitive_environment": texts("S", "hunter2"), "environment_wo": texts("W", "hunter3"),
				"environment_wo_version": str("1"), "stdin_wo": str("hunter4"), "stdin_wo_version": str("1"),
			}
			diags := c.ApplyPlan(set, c.Plan(set))
			if diags.HasErrors() || !strings.Contains(diags.Error(), tt.says) {
				t.Errorf("diagnostics %v, want a warning with %q", diags, tt.says)
			}
			c.WantAttrs(attrs{"stdout": cty.NullVal(cty.String), "exit_code": cty.NumberIntVal(0)})
			c.NoChange(set)

			// Sensitive output may contain sensitive values, but no write-only ones.
			set["sensitive_output"] = cty.True
			resourcetest.NoErrors(t, c.Destroy())
			c.Apply(set)
			if kept := !c.Attr("sensitive_stdout").IsNull(); kept != (name == "sensitive value in output") {
				t.Errorf("sensitive_stdout is %#v, want it null: %t", c.Attr("sensitive_stdout"), kept)
			}
		})
	}
}

// TestCommandMoved checks that objects that provisioners created are adopted without running create.
func TestCommandMoved(t *testing.T) {
	t.Parallel()
	for typeName, from := range map[string][2]string{
		"null_resource":  {"registry.terraform.io/hashicorp/null", `{"id":"5577006791947779410","triggers":{"a":"1"}}`},
		"terraform_data": {"terraform.io/builtin/terraform", `{"id":"5577006791947779410","input":null,"output":null,"triggers_replace":{"value":{"a":"1"},"type":["object",{"a":"string"}]}}`},
	} {
		for _, update := range []cty.Value{cty.NullVal(cty.String), str(updates)} {
			c := newCounter(t)
			resp := c.Provider.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
				SourceProviderAddress: from[0], SourceTypeName: typeName, SourceStateJSON: []byte(from[1]), TargetTypeName: c.TypeName,
			})
			resourcetest.NoErrors(t, resp.Diagnostics)
			c.State, c.Private, c.Identity = resp.TargetState, resp.TargetPrivate, resp.TargetIdentity
			c.adopts(c.set(attrs{"update": update, "triggers": texts("a", "1")}), "5577006791947779410")
		}
	}
}

func TestCommandImported(t *testing.T) {
	t.Parallel()
	for _, update := range []cty.Value{cty.NullVal(cty.String), str(updates)} {
		c := newCounter(t)
		resourcetest.NoErrors(t, c.Import("the thing", cty.NilVal))
		c.adopts(c.set(attrs{"update": update}), "the thing")
		resourcetest.NoErrors(t, c.Import("", cty.ObjectVal(attrs{"id": str("another")})))
		c.adopts(c.set(attrs{"update": update, "sensitive_output": cty.True}), "another")
	}
	// A missing object is created.
	c := newCounter(t)
	resourcetest.NoErrors(t, c.Import("thing", cty.NilVal))
	set := c.set(attrs{"absent_exit_codes": numbers(1)})
	diags := c.ApplyPlan(set, c.Plan(set))
	resourcetest.NoErrors(t, diags)
	if !strings.Contains(diags.Error(), "The next apply creates it") {
		t.Errorf("no warning about the missing object: %v", diags)
	}
	c.Refresh()
	c.Apply(set)
	c.wantRan("create")
}

// adopts checks that an existing object is recorded and then managed.
func (c counter) adopts(set attrs, id string) {
	c.T.Helper()
	resourcetest.Write(c.T, c.path("thing"), "one\n", 0o600)
	c.Refresh()
	plan := c.Plan(set)
	resourcetest.NoErrors(c.T, plan.Diagnostics)
	if len(plan.RequiresReplace) > 0 {
		c.T.Errorf("the object is replaced because of %q, want no replacement", replacedFor(plan.RequiresReplace))
	}
	if v := plan.PlannedState.GetAttr("stdout"); !v.IsNull() {
		c.T.Errorf("stdout is planned as %#v, want null", v)
	}
	c.ran()
	c.Apply(set)
	c.wantRan()
	observed := "observed"
	if v, ok := set["sensitive_output"]; ok && v.True() {
		observed = "sensitive_observed"
	}
	c.WantAttrs(attrs{"id": str(id), "host": str("local"), observed: str("one"), "stdout": cty.NullVal(cty.String), "exit_code": cty.NullVal(cty.Number)})
	if !c.Identity.GetAttr("id").RawEquals(str(id)) {
		c.T.Errorf("the identity is %#v, want the ID %q", c.Identity, id)
	}
	resourcetest.Write(c.T, c.path("thing"), "else\n", 0o600)
	c.Refresh()
	resourcetest.NoErrors(c.T, c.ApplyPlan(set, c.Plan(set)))
	if got := c.ran(); !slices.Contains(got, "update\n") && !slices.Contains(got, "create\n") {
		c.T.Errorf("commands that ran on drift of an adopted object: %q, want update or create", got)
	}
}

package cron_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/cron"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{Packages: []string{"cron"}}) }

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"cron": cron.Resource()}}

const (
	dir    = cron.Dir + "/"
	header = "# This file is managed: changes that are made by hand are undone.\n"
)

// place is a host with files for cron.
type place struct{ host.Host }

// everywhere runs a test on a host in memory and, inside a test root, on the local host.
func everywhere(t *testing.T, test func(t *testing.T, on place)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		h := memory.New(memory.Config{Name: host.LocalName, Users: []host.User{{Name: "root"}, {Name: "backup", UID: 34}, {Name: "games", UID: 5}}})
		_, err := host.MakeParents(t.Context(), h, dir+"x", host.Attributes{})
		resourcetest.Must(t, err)
		test(t, place{h})
	})
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		roottest.Require(t)
		h, err := local.New()
		resourcetest.Must(t, err)
		test(t, place{h})
	})
}

// provider returns a provider that has this host.
func (on place) provider() (provider.Interface, error) {
	return resourcetest.ProviderOn(types, func() (host.Host, error) { return on.Host, nil })()
}

func (on place) steps(t *testing.T, all ...resource.TestStep) {
	t.Helper()
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", on.provider), Steps: all})
}

// write returns a function that writes a file; an existing file keeps its mode.
func (on place) write(name, text string) func() error {
	return func() error {
		attrs := host.Attributes{Mode: new(host.Mode(0o600))}
		if info, err := on.Lstat(context.Background(), dir+name); err == nil {
			attrs.Mode = &info.Mode
		}
		_, err := on.WriteFile(context.Background(), dir+name, strings.NewReader(text), host.WriteOptions{Attributes: attrs})
		return err
	}
}

// set returns a function that changes the mode, the owner or the group of a file.
func (on place) set(name string, attrs host.Attributes) func() error {
	return func() error {
		_, err := on.SetAttributes(context.Background(), dir+name, host.TypeUnknown, attrs)
		return err
	}
}

func (on place) remove(name string) func() error {
	return func() error { return on.Remove(context.Background(), dir+name) }
}

// removeIfExists removes a file. A missing file is not an error.
func (on place) removeIfExists(name string) error {
	if err := on.remove(name)(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (on place) read(name string) (host.FileInfo, string, error) {
	info, content, err := on.Open(context.Background(), dir+name)
	if err != nil {
		return info, "", err
	}
	text, err := io.ReadAll(content)
	return info, string(text), errors.Join(err, content.Close())
}

func (on place) change(name, from, to string) func() error {
	return func() error {
		_, text, err := on.read(name)
		if !strings.Contains(text, from) {
			return fmt.Errorf("%s has no %q", name, from)
		}
		return errors.Join(err, on.write(name, strings.Replace(text, from, to, 1))())
	}
}

// is returns a check that a file has this text below the header, and mode 0644, UID 0 and
// GID 0.
func (on place) is(name, want string) func() error {
	return func() error {
		info, text, err := on.read(name)
		if text != header+want {
			return errors.Join(err, fmt.Errorf("%s has %q, want %q", name, text, header+want))
		}
		if info.UID != 0 || info.GID != 0 || info.Mode != 0o644 {
			return fmt.Errorf("%s is %+v, want UID 0, GID 0 and mode 0644", name, info)
		}
		return err
	}
}

func (on place) exists(name string) func() (bool, error) {
	return func() (bool, error) {
		_, err := on.Lstat(context.Background(), dir+name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		const name = "nightly-dump"
		const lines = "MAILTO=\"ops@example.com\"\nPATH=\"/usr/local/bin:/usr/bin:/bin\"\n30 4 * * * backup pg_dump app > /srv/backups/app-$(date +\\%F).sql\n"
		resourcetest.Imports(t, "resources/posix_cron", "posix_cron.dump", name)
		good := on.is(name, lines)
		resourcetest.Life{
			Provider: on.provider,
			Config:   resourcetest.ExampleFile(t, "resources/posix_cron/resource.tf"),
			Address:  "posix_cron.dump",
			ImportID: name,
			Drifts: map[string]resourcetest.Drift{
				"schedule":         {Make: on.change(name, "30 4", "*/5 *"), Plan: "update schedule", Check: good},
				"invalid schedule": {Make: on.change(name, "30 4 * * *", "61 4 * * *"), Plan: "update schedule", Check: good},
				"user":             {Make: on.change(name, " backup ", " root "), Plan: "update user", Check: good},
				"command":          {Make: on.change(name, "pg_dump app", "pg_dump ap"), Plan: "update command", Check: good},
				"environment":      {Make: on.change(name, "ops@", "nobody@"), Plan: "update environment", Check: good},
				"added variable":   {Make: on.change(name, "MAILTO", "X=\"y\"\nMAILTO"), Plan: "update environment intact", Check: good},
				"removed variable": {Make: on.change(name, "MAILTO=\"ops@example.com\"\n", ""), Plan: "update environment", Check: good},
				"a comment":        {Make: on.change(name, "MAILTO", "# more\nMAILTO"), Plan: "update intact unexpected_lines", Check: good},
				"another command":  {Make: on.write(name, header+lines+"* * * * * root true\n"), Plan: "update intact unexpected_lines", Check: good},
				"input":            {Make: on.change(name, "\\%", "%"), Plan: "update intact unexpected_lines", Check: good},
				"no newline":       {Make: on.write(name, strings.TrimSuffix(header+lines, "\n")), Plan: "update intact", Check: good},
				"invalid UTF-8":    {Make: on.write(name, "\xff"), Plan: "update intact unexpected_lines", Check: good},
				"emptied":          {Make: on.write(name, ""), Plan: "update intact", Check: good},
				"mode":             {Make: on.set(name, host.Attributes{Mode: new(host.Mode(0o666))}), Plan: "update mode", Check: good},
				"owner":            {Make: on.set(name, host.Attributes{UID: new(uint32(1234))}), Plan: "update owner", Check: good},
				"group":            {Make: on.set(name, host.Attributes{GID: new(uint32(1))}), Plan: "update group", Check: good},
				"removed":          {Make: on.remove(name), Plan: "create", Check: good},
			},
			Exists: on.exists(name),
		}.Run(t)
	})
}

func config(name, schedule, command, more string) string {
	return fmt.Sprintf("resource \"posix_cron\" \"it\" {\n  name = %q\n  schedule = %q\n  user = \"root\"\n  command = %q\n  %s\n}\n", name, schedule, command, more)
}

func plans(what string) resource.ConfigPlanChecks { return resourcetest.Plans("posix_cron.it", what) }

func TestChanges(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		on.steps(t,
			resource.TestStep{Config: config("a", "1  2 * * *", "true", ""), Check: resourcetest.Check(on.is("a", "1 2 * * * root true\n"))},
			resource.TestStep{Config: config("a", "1 2 * * *", "true", ""), ConfigPlanChecks: plans("")},
			// Environment variables in the file are drift if none are configured.
			resource.TestStep{
				PreConfig: func() { resourcetest.Must(t, on.change("a", "1 2", "LD_PRELOAD=\"/x\"\n1 2")()) }, Config: config("a", "1 2 * * *", "true", ""),
				ConfigPlanChecks: plans("update environment"), Check: resourcetest.Check(on.is("a", "1 2 * * * root true\n")),
			},
			resource.TestStep{Config: config("a", "@daily", "date +%F", "environment = {}"), ConfigPlanChecks: plans("update command schedule"), Check: resourcetest.Check(on.is("a", "@daily root date +\\%F\n"))},
			resource.TestStep{Config: config("b", "@daily", "true", `environment = { A = "b" }`), ConfigPlanChecks: plans("delete create"), Check: resourcetest.Check(on.is("b", "A=\"b\"\n@daily root true\n"))},
		)
		if there, err := on.exists("a")(); there || err != nil {
			t.Errorf("the old file exists: %t (%v), want false", there, err)
		}
	})
}

// TestUnexpectedLines checks that the plan shows the lines that an apply removes.
func TestUnexpectedLines(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		str := cty.StringVal
		set := resourcetest.Attrs{"name": str("lines"), "schedule": str("@daily"), "user": str("root"), "command": str("true")}
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, on.Host), "posix_cron")
		o.Apply(set)
		none := o.Attr("unexpected_lines")
		resourcetest.Must(t, on.write("lines", header+"# by hand\n@daily root true\n\n@daily root true\n@hourly root \xff")())
		o.Refresh()
		o.WantAttrs(resourcetest.Attrs{"unexpected_lines": cty.ListVal([]cty.Value{str("# by hand"), str(""), str("@daily root …"), str(`"@hourly root \xff"`)})})
		plan := o.Changes(set, "intact", "unexpected_lines")
		if got := plan.PlannedState.GetAttr("unexpected_lines"); !got.RawEquals(none) || none.LengthInt() != 0 {
			t.Errorf("unexpected_lines is planned as %#v, want no lines", got)
		}
		o.Apply(set)
		// A state from before unexpected_lines was added to the schema causes no change.
		old := o.State.AsValueMap()
		old["unexpected_lines"] = cty.NullVal(none.Type())
		o.State = cty.ObjectVal(old)
		o.NoChange(set)
		o.State = cty.ObjectVal(old) // the refresh has set the lines
		// A plan without a refresh can be applied.
		set["command"] = str("false")
		plan = o.Plan(set)
		resourcetest.NoErrors(t, plan.Diagnostics)
		resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
		// Unexpected lines omit the values of environment, and command, which may be sensitive. In comments, they omit
		// all values and commands.
		set["environment"] = cty.MapVal(map[string]cty.Value{"TOKEN": str("secret")})
		o.Apply(set)
		resourcetest.Must(t, on.write("lines", "TOKEN='secret'\nOTHER=1\n@daily root false\n")())
		o.Refresh()
		o.WantAttrs(resourcetest.Attrs{"unexpected_lines": cty.ListVal([]cty.Value{str("TOKEN=…"), str("OTHER=…")})})
		resourcetest.Must(t, on.write("lines", "#TOKEN='secret'\n# 1 2 * * * root false --secret\n# edited = once, or more\n@hourly  root false\n@hourly root other\n")())
		o.Refresh()
		o.WantAttrs(resourcetest.Attrs{"unexpected_lines": cty.ListVal([]cty.Value{
			str("#TOKEN=…"), str("# 1 2 * * * root …"), str("# edited=…"), str("@hourly root …"), str("@hourly root other"),
		})})
		resourcetest.NoErrors(t, o.Destroy())
	})
}

// TestChangedAfterPlan checks that an update does not replace lines that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		job := func(command string) resourcetest.Attrs {
			return resourcetest.Attrs{"name": cty.StringVal("saved"), "schedule": cty.StringVal("1  2 * * *"), "user": cty.StringVal("root"), "command": cty.StringVal(command)}
		}
		saved := resourcetest.SavedPlan{
			Types: types, Host: on.Host, TypeName: "posix_cron", Old: job("true"), New: job("false"), Path: dir + "saved", Attribute: "name",
		}
		saved.Run(t)
		saved.Edited = header + "@daily root edited by-hand\n"
		saved.Run(t)
	})
}

// TestImported checks that a file in a different form can be imported, and is rewritten. A file
// with two commands cannot be imported.
func TestImported(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		resourcetest.Must(t, on.write("by-hand", "# nightly\nA = b\n1\t2 * * *\troot   true \\% \n")())
		on.steps(t, resource.TestStep{
			Config:           "import {\n  to = posix_cron.it\n  id = \"by-hand\"\n}\n" + config("by-hand", "1 2 * * *", "true % ", `environment = { A = "b" }`),
			ConfigPlanChecks: plans("import update intact mode unexpected_lines"), Check: resourcetest.Check(on.is("by-hand", "A=\"b\"\n1 2 * * * root true \\% \n")),
		})
		resourcetest.Must(t, on.write("two", "@daily root true\n@daily root false\n")())
		resourcetest.Fails(t, on.provider, "import {\n  to = posix_cron.it\n  id = \"two\"\n}\n"+config("two", "@daily", "true", ""), true,
			"cannot be imported: it does not have exactly one command")
	})
}

// TestCreateBeforeDestroy checks that a create_before_destroy replacement keeps the file.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		text := func(when string) string {
			return fmt.Sprintf("resource \"terraform_data\" \"when\" {\n  input = %q\n}\n", when) + config("before", "@daily", "true", `lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }`)
		}
		here := resourcetest.Check(on.is("before", "@daily root true\n"))
		on.steps(t, resource.TestStep{Config: text("a"), Check: here}, resource.TestStep{Config: text("b"), Check: here})
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		_, err := on.Symlink(t.Context(), "/etc/passwd", dir+"a-link")
		resourcetest.Must(t, err)
		resourcetest.Must(t, on.write("another", "@daily root false\n")())
		resourcetest.Must(t, on.write("several", "@daily root true\n@daily root false\n")())
		long := strings.Repeat("a", 901)
		for name, tt := range map[string]struct{ config, want string }{
			"a dot":           {config("a.sh", "@daily", "true", ""), "letters, digits, dashes and underscores"},
			"a schedule":      {config("x", "* * * *", "true", ""), "five fields"},
			"no command":      {config("x", "@daily", " ", ""), "the command must not be blank"},
			"leading blank":   {config("x", "@daily", " true", ""), "must not start with a blank"},
			"two lines":       {config("x", "@daily", "true\nfalse", ""), "a command must be a single line"},
			"backslashes":     {config("x", "@daily", `echo \\`, ""), "two backslashes"},
			"escaped":         {config("x", "@daily", `date +\%F`, ""), "A percent sign needs no backslash"},
			"long":            {config("x", "@daily", long, ""), "longer than 900 bytes"},
			"a user":          {strings.Replace(config("x", "@daily", "true", ""), `"root"`, `"a b"`, 1), "must be a user name"},
			"a name":          {config("x", "@daily", "true", `environment = { "1A" = "" }`), "a variable name must consist of ASCII letters, digits and underscores, and must not start with a digit"},
			"LOGNAME":         {config("x", "@daily", "true", `environment = { LOGNAME = "" }`), "cron always sets it"},
			"trailing blank":  {config("x", "@daily", "true", `environment = { A = "b " }`), "must not end with a blank"},
			"line break":      {config("x", "@daily", "true", `environment = { A = "b\nc" }`), "must be a single line"},
			"a long value":    {config("x", "@daily", "true", `environment = { A = "`+long+`" }`), "longer than 900 bytes"},
			"quotes":          {config("x", "@daily", "true", `environment = { A = "'a\"" }`), "quotes of both kinds"},
			"a link":          {config("a-link", "@daily", "true", ""), "neither followed nor replaced"},
			"existing file":   {config("another", "@daily", "true", ""), `import it (id "local:another")`},
			"several entries": {config("several", "@daily", "true", ""), "It cannot be imported"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				resourcetest.Fails(t, on.provider, tt.config, name != "a link", tt.want)
			})
		}
		resourcetest.Fails(t, on.provider, strings.Replace(config("x", "@daily", "true", ""), `"root"`, `"nobody-else"`, 1), false,
			`host local has no user "nobody-else". Create it first`)
		if there, err := on.exists("x")(); there || err != nil {
			t.Errorf("the file exists: %t (%v), want false", there, err)
		}
		h := memory.New(memory.Config{Name: host.LocalName, Users: []host.User{{Name: "root"}}})
		resourcetest.Fails(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }), config("x", "@daily", "true", ""), false,
			"The directory /etc/cron.d does not exist on host local: first install a cron that reads it")
	})
}

// TestRealCron checks that cron passes commands to the shell, and values to the environment,
// as configured.
func TestRealCron(t *testing.T) { //nolint:paralleltest // cron also runs the files of other tests
	roottest.Require(t)
	out := t.TempDir()
	const recorder = "#!/bin/sh\nprintf %s \"$2\" >\"$OUT.command\"\nprintf %s \"$VALUE\" >\"$OUT.value\"\nid -un >\"$OUT.user\"\n"
	shell := filepath.Join(out, "recorder")
	resourcetest.Must(t, os.WriteFile(shell, []byte(recorder), 0o700))
	resourcetest.Must(t, os.Chmod(shell, 0o755))
	resourcetest.Must(t, os.Chmod(out, 0o777))
	resourcetest.Must(t, os.Chmod(filepath.Dir(out), 0o755))
	commands := []string{
		"date +%F", "%", "%%a", `a\b`, `printf 'x\n'`, `a\`, "a  b\tc", "a ", "# no comment", "-x", "A=b c", "é ☃", `$(x) "y" 'z' ;&|<>*?~!`, strings.Repeat("a", 900), strings.Repeat("%", 450),
	}
	values := []string{
		"", "plain", " two  blanks", `say "x"`, "it's", `it's "x"`, `a\b`, "%", "# x", "$HOME", "é", "a=b", `"`, "'", strings.Repeat("v", 900),
	}
	var text strings.Builder
	for i, command := range commands {
		fmt.Fprintf(&text, "resource \"posix_cron\" \"it%d\" {\n  name = \"real-%[1]d\"\n  schedule = \"@reboot\"\n  user = %q\n  command = jsondecode(%q)\n  environment = {\n    SHELL = %q\n    OUT = %q\n    VALUE = jsondecode(%q)\n  }\n}\n",
			i, []string{"root", "games"}[i%2], quoteJSON(t, command), shell, filepath.Join(out, fmt.Sprint(i)), quoteJSON(t, values[i]))
	}
	resourcetest.Steps(t, types, resource.TestStep{Config: text.String(), Check: resourcetest.Check(func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		daemon := exec.CommandContext(ctx, "cron", "-f")
		if err := daemon.Start(); err != nil {
			return err
		}
		var err error
		for ctx.Err() == nil {
			if err = ran(out, commands, values); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		cancel()
		_ = daemon.Wait() // the error is that the daemon was killed
		return err
	})})
}

// quoteJSON returns a text in JSON, without anything that HCL would expand.
func quoteJSON(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	resourcetest.Must(t, err)
	return strings.ReplaceAll(strings.ReplaceAll(string(quoted), "$", `\u0024`), "%", `\u0025`)
}

func ran(out string, commands, values []string) error {
	for i, command := range commands {
		for what, want := range map[string]string{"command": command, "value": values[i], "user": []string{"root\n", "games\n"}[i%2]} {
			got, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("%d.%s", i, what)))
			if err != nil || string(got) != want {
				return errors.Join(err, fmt.Errorf("%d.%s has %q, want %q", i, what, got, want))
			}
		}
	}
	return nil
}

// TestRealSchedules checks that crontab accepts every random schedule that checkSchedule accepts.
func TestRealSchedules(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	table := filepath.Join(t.TempDir(), "table")
	r := rand.New(rand.NewPCG(1, 2))
	accepted, rejected := 0, 0
	for range tier.Pick(0, 200, 1000) {
		schedule := randomSchedule(r)
		resourcetest.Must(t, os.WriteFile(table, []byte(schedule+" true\n"), 0o600))
		theirs := exec.CommandContext(t.Context(), "crontab", "-u", "games", table).Run() == nil
		ours := cron.CheckSchedule(cron.Schedule(schedule)) == nil
		if ours && !theirs {
			t.Errorf("checkSchedule accepts %q, but crontab rejects it", schedule)
		}
		if theirs {
			accepted++
		} else {
			rejected++
		}
	}
	if accepted < 50 || rejected < 50 {
		t.Errorf("crontab accepts %d and rejects %d schedules, want at least 50 of each", accepted, rejected)
	}
}

func randomSchedule(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return []string{"@daily", "@reboot", "@never", "@Hourly", "@midnight"}[r.IntN(5)]
	}
	value := func(high int, names ...string) string {
		if len(names) > 0 && r.IntN(3) == 0 {
			return names[r.IntN(len(names))]
		}
		return fmt.Sprint(r.IntN(high + 2))
	}
	field := func(high int, names ...string) string {
		var parts []string
		for range 1 + r.IntN(2) {
			part := "*"
			switch r.IntN(4) {
			case 0:
				part = value(high, names...) + "-" + value(high, names...)
			case 1:
				part = value(high, names...)
			}
			if r.IntN(4) == 0 {
				part += "/" + fmt.Sprint(r.IntN(high+2))
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ",")
	}
	return strings.Join([]string{field(59), field(23), field(31), field(12, "jan", "DEC", "x"), field(7, "sun", "Fri", "sat")}, " ")
}

// TestConformance checks the laws of package conformance.
func TestConformance(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, on place) {
		among := func(values ...string) func(*rand.Rand) cty.Value {
			return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
		}
		conformance.Conformance(t, conformance.Options{
			Provider: func(context.Context) (provider.Interface, error) { return on.provider() },
			Reset: func(context.Context) error {
				return errors.Join(on.removeIfExists("conf-a"), on.removeIfExists("conf-b"))
			},
			Runs: tier.Pick(2, 3, 20),
			Types: map[string]conformance.Type{"posix_cron": {
				Leave: []string{"host"},
				Values: map[string]func(*rand.Rand) cty.Value{
					"name":     among("conf-a", "conf-b"),
					"schedule": among("@daily", "* * * * *", "1  2 * * *"),
					"user":     among("root", "games"),
					"command":  among("true", "date +%F"),
					"environment": func(r *rand.Rand) cty.Value {
						return cty.MapVal(map[string]cty.Value{"A": cty.StringVal([]string{"", "b"}[r.IntN(2)])})
					},
				},
				ImportID: func(state cty.Value) string { return state.GetAttr("name").AsString() },
				Drift: func(_ context.Context, state cty.Value) error {
					return on.write(state.GetAttr("name").AsString(), header+"@weekly root false\n")()
				},
			}},
		})
	})
}

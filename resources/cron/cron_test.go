package cron_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
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

func write(name, text string) func() error {
	return func() error { return os.WriteFile(dir+name, []byte(text), 0o600) }
}

func change(name, from, to string) func() error {
	return func() error {
		text, err := os.ReadFile(dir + name)
		if !strings.Contains(string(text), from) {
			return fmt.Errorf("%s has no %q", name, from)
		}
		return errors.Join(err, write(name, strings.Replace(string(text), from, to, 1))())
	}
}

// is says whether a file has this text below the header, and is as cron demands.
func is(name, want string) func() error {
	return func() error {
		text, err := os.ReadFile(dir + name)
		if string(text) != header+want {
			return fmt.Errorf("%s has %q (%w), want %q", name, text, err, want)
		}
		out, err := exec.Command("stat", "-c", "%U %G %A", dir+name).CombinedOutput()
		if got := strings.TrimSpace(string(out)); got != "root root -rw-r--r--" {
			return fmt.Errorf("%s is %s (%w)", name, got, err)
		}
		return err
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	const name = "nightly-dump"
	const said = "MAILTO=\"ops@example.com\"\nPATH=\"/usr/local/bin:/usr/bin:/bin\"\n30 4 * * * backup pg_dump app > /var/backups/app-$(date +\\%F).sql\n"
	resourcetest.Imports(t, "resources/posix_cron", "posix_cron.dump", name)
	good := is(name, said)
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_cron/resource.tf"),
		Address:  "posix_cron.dump",
		ImportID: name,
		Drifts: map[string]resourcetest.Drift{
			"schedule":        {Make: change(name, "30 4", "*/5 *"), Plan: "update schedule", Check: good},
			"no schedule":     {Make: change(name, "30 4 * * *", "61 4 * * *"), Plan: "update schedule", Check: good},
			"user":            {Make: change(name, " backup ", " root "), Plan: "update user", Check: good},
			"command":         {Make: change(name, "pg_dump app", "pg_dump ap"), Plan: "update command", Check: good},
			"environment":     {Make: change(name, "ops@", "nobody@"), Plan: "update environment", Check: good},
			"more of it":      {Make: change(name, "MAILTO", "X=\"y\"\nMAILTO"), Plan: "update environment intact", Check: good},
			"less of it":      {Make: change(name, "MAILTO=\"ops@example.com\"\n", ""), Plan: "update environment", Check: good},
			"a comment":       {Make: change(name, "MAILTO", "# more\nMAILTO"), Plan: "update intact", Check: good},
			"another command": {Make: write(name, header+said+"* * * * * root true\n"), Plan: "update intact", Check: good},
			"input":           {Make: change(name, "\\%", "%"), Plan: "update intact", Check: good},
			"no newline":      {Make: write(name, strings.TrimSuffix(header+said, "\n")), Plan: "update intact", Check: good},
			"no text":         {Make: write(name, "\xff"), Plan: "update intact", Check: good},
			"emptied":         {Make: write(name, ""), Plan: "update intact", Check: good},
			"mode":            {Make: func() error { return os.Chmod(dir+name, 0o666) }, Plan: "update mode", Check: good},
			"owner":           {Make: func() error { return os.Chown(dir+name, 1234, 0) }, Plan: "update owner", Check: good},
			"group":           {Make: func() error { return os.Chown(dir+name, 0, 1) }, Plan: "update group", Check: good},
			"removed":         {Make: func() error { return os.Remove(dir + name) }, Plan: "create", Check: good},
		},
		Exists: resourcetest.At(dir + name),
	}.Run(t)
}

func config(name, schedule, command, more string) string {
	return fmt.Sprintf("resource \"posix_cron\" \"it\" {\n  name = %q\n  schedule = %q\n  user = \"root\"\n  command = %q\n  %s\n}\n", name, schedule, command, more)
}

func plans(what string) resource.ConfigPlanChecks { return resourcetest.Plans("posix_cron.it", what) }

func steps(t *testing.T, all ...resource.TestStep) {
	t.Helper()
	resourcetest.Steps(t, types, all...)
}

func TestChanges(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	steps(t,
		resource.TestStep{Config: config("a", "1  2 * * *", "true", ""), Check: resourcetest.Check(is("a", "1 2 * * * root true\n"))},
		resource.TestStep{Config: config("a", "1 2 * * *", "true", ""), ConfigPlanChecks: plans("")},
		// An environment where none is configured is drift, too.
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, change("a", "1 2", "LD_PRELOAD=\"/x\"\n1 2")()) }, Config: config("a", "1 2 * * *", "true", ""),
			ConfigPlanChecks: plans("update environment"), Check: resourcetest.Check(is("a", "1 2 * * * root true\n")),
		},
		resource.TestStep{Config: config("a", "@daily", "date +%F", "environment = {}"), ConfigPlanChecks: plans("update command schedule"), Check: resourcetest.Check(is("a", "@daily root date +\\%F\n"))},
		resource.TestStep{Config: config("b", "@daily", "true", `environment = { A = "b" }`), ConfigPlanChecks: plans("delete create"), Check: resourcetest.Check(is("b", "A=\"b\"\n@daily root true\n"))},
	)
	if there, err := resourcetest.At(dir + "a")(); there || err != nil {
		t.Errorf("the old file is there (%v)", err)
	}
}

// A file in another form can be imported, and gets this one.
func TestImported(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	resourcetest.Must(t, write("by-hand", "# nightly\nA = b\n1\t2 * * *\troot   true \\% \n")())
	steps(t, resource.TestStep{
		Config:           "import {\n  to = posix_cron.it\n  id = \"by-hand\"\n}\n" + config("by-hand", "1 2 * * *", "true % ", `environment = { A = "b" }`),
		ConfigPlanChecks: plans("import update intact mode"), Check: resourcetest.Check(is("by-hand", "A=\"b\"\n1 2 * * * root true \\% \n")),
	})
	resourcetest.Must(t, write("two", "@daily root true\n@daily root false\n")())
	resourcetest.Fails(t, resourcetest.Provider(types), "import {\n  to = posix_cron.it\n  id = \"two\"\n}\n"+config("two", "@daily", "true", ""), true,
		"cannot be imported: it has more than one command")
}

// A replacement that is created before keeps the file.
func TestCreatedBefore(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	text := func(when string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"when\" {\n  input = %q\n}\n", when) + config("before", "@daily", "true", `lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }`)
	}
	here := resourcetest.Check(is("before", "@daily root true\n"))
	steps(t, resource.TestStep{Config: text("a"), Check: here}, resource.TestStep{Config: text("b"), Check: here})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	resourcetest.Must(t, os.Symlink("/etc/passwd", dir+"a-link"))
	resourcetest.Must(t, write("another", "@daily root false\n")())
	resourcetest.Must(t, write("several", "@daily root true\n@daily root false\n")())
	long := strings.Repeat("a", 901)
	for name, tt := range map[string]struct{ config, want string }{
		"a dot":          {config("a.sh", "@daily", "true", ""), "letters, digits, dashes and underscores"},
		"a schedule":     {config("x", "* * * *", "true", ""), "five fields"},
		"no command":     {config("x", "@daily", " ", ""), "there is no command"},
		"a blank":        {config("x", "@daily", " true", ""), "does not begin with a blank"},
		"two lines":      {config("x", "@daily", "true\nfalse", ""), "a command is one line"},
		"backslashes":    {config("x", "@daily", `echo \\`, ""), "two backslashes in a row"},
		"escaped":        {config("x", "@daily", `date +\%F`, ""), "A percent sign alone needs no backslash"},
		"long":           {config("x", "@daily", long, ""), "longer than the 900 bytes"},
		"a user":         {strings.Replace(config("x", "@daily", "true", ""), `"root"`, `"a b"`, 1), "the name of a user"},
		"a name":         {config("x", "@daily", "true", `environment = { "A B" = "" }`), "no name of a variable"},
		"LOGNAME":        {config("x", "@daily", "true", `environment = { LOGNAME = "" }`), "cron sets it"},
		"a blank behind": {config("x", "@daily", "true", `environment = { A = "b " }`), "ends with a blank"},
		"a line":         {config("x", "@daily", "true", `environment = { A = "b\nc" }`), "more than one line"},
		"a long value":   {config("x", "@daily", "true", `environment = { A = "`+long+`" }`), "longer than the 900 bytes"},
		"quotes":         {config("x", "@daily", "true", `environment = { A = "'a\"" }`), "quotes of both kinds"},
		"a link":         {config("a-link", "@daily", "true", ""), "neither followed nor replaced"},
		"another":        {config("another", "@daily", "true", ""), `import it (id "local:another")`},
		"several":        {config("several", "@daily", "true", ""), "It cannot be imported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, true, tt.want)
		})
	}
	resourcetest.Fails(t, resourcetest.Provider(types), strings.Replace(config("x", "@daily", "true", ""), `"root"`, `"nobody-else"`, 1), false,
		`host local has no user "nobody-else". Create it first`)
	if there, err := resourcetest.At(dir + "x")(); there || err != nil {
		t.Errorf("there is a file (%v)", err)
	}
	h := memory.New(memory.Config{Name: host.LocalName, Users: []host.User{{Name: "root"}}})
	resourcetest.Fails(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }), config("x", "@daily", "true", ""), false,
		"The directory /etc/cron.d does not exist on host local: install a cron that reads it first")
}

// The real cron gives commands to the shell, and values to the environment, as they
// were configured.
func TestRealCron(t *testing.T) { //nolint:paralleltest // cron runs what others write, too
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
	steps(t, resource.TestStep{Config: text.String(), Check: resourcetest.Check(func() error {
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
		_ = daemon.Wait() // it was killed
		return err
	})})
}

// quoteJSON is a text in JSON, in which HCL finds nothing to expand.
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
				return fmt.Errorf("the %s is %q, want %q (%w)", what, got, want, err)
			}
		}
	}
	return nil
}

// The real cron takes every schedule that is taken here.
func TestRealSchedules(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	table := filepath.Join(t.TempDir(), "table")
	r := rand.New(rand.NewPCG(1, 2))
	taken, refused := 0, 0
	for range 400 {
		schedule := randomSchedule(r)
		resourcetest.Must(t, os.WriteFile(table, []byte(schedule+" true\n"), 0o600))
		theirs := exec.CommandContext(t.Context(), "crontab", "-u", "games", table).Run() == nil
		ours := cron.CheckSchedule(cron.Schedule(schedule)) == nil
		if ours && !theirs {
			t.Errorf("%q is taken here, and refused by crontab", schedule)
		}
		if theirs {
			taken++
		} else {
			refused++
		}
	}
	if taken < 50 || refused < 50 {
		t.Errorf("crontab has taken %d and refused %d: that shows nothing", taken, refused)
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

// TestConformance tries the laws that any provider has to keep.
func TestConformance(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	build := resourcetest.Provider(types)
	among := func(values ...string) func(*rand.Rand) cty.Value {
		return func(r *rand.Rand) cty.Value { return cty.StringVal(values[r.IntN(len(values))]) }
	}
	conformance.Conformance(t, conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return build() },
		Reset: func(context.Context) error {
			return errors.Join(os.RemoveAll(dir+"conf-a"), os.RemoveAll(dir+"conf-b"))
		},
		Runs: 5,
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
				return write(state.GetAttr("name").AsString(), header+"@weekly root false\n")()
			},
		}},
	})
}

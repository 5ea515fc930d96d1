package sudoers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/sudoers"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{Packages: []string{"sudo"}}) }

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"sudoers": sudoers.Resource()}}

const dir = sudoers.Dir + "/"

func write(name, text string) func() error {
	return func() error { return os.WriteFile(dir+name, []byte(text), 0o600) }
}

// is returns a function that checks that a file has this text and the required mode, owner and group,
// and that no temporary file is left.
func is(name, want string) func() error {
	return func() error {
		text, err := os.ReadFile(dir + name)
		if string(text) != want {
			return errors.Join(err, fmt.Errorf("%s has %q, want %q", name, text, want))
		}
		out, err := exec.Command("stat", "-c", "%a %U %G %A", dir+name).CombinedOutput()
		if got := strings.TrimSpace(string(out)); got != "440 root root -r--r-----" {
			return errors.Join(err, fmt.Errorf("%s is %s, want 440 root root -r--r-----", name, got))
		}
		left, err := filepath.Glob(dir + "." + name + ".*")
		if len(left) > 0 {
			err = errors.Join(err, fmt.Errorf("temporary files: %q, want none", left))
		}
		return err
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	const name = "50-deploy"
	const rules = "Cmnd_Alias RESTART_WEB = /usr/bin/systemctl restart web, /usr/bin/systemctl reload web\ndeploy ALL=(root) NOPASSWD: RESTART_WEB\n"
	resourcetest.Imports(t, "resources/posix_sudoers", "posix_sudoers.deploy", name)
	good := is(name, rules)
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_sudoers/resource.tf"),
		Address:  "posix_sudoers.deploy",
		ImportID: name,
		Drifts: map[string]resourcetest.Drift{
			"content":   {Make: write(name, "deploy ALL=(ALL) ALL\n"), Plan: "update content", Check: good},
			"not UTF-8": {Make: write(name, "\xff"), Plan: "update content", Check: good},
			"mode":      {Make: func() error { return os.Chmod(dir+name, 0o644) }, Plan: "update mode", Check: good},
			"owner":     {Make: func() error { return os.Chown(dir+name, 1234, 0) }, Plan: "update owner", Check: good},
			"group":     {Make: func() error { return os.Chown(dir+name, 0, 1) }, Plan: "update group", Check: good},
			"removed":   {Make: func() error { return os.Remove(dir + name) }, Plan: "create", Check: good},
		},
		Exists: resourcetest.PathExists(dir + name),
	}.Run(t)
}

func config(name, content string) string {
	return fmt.Sprintf("resource \"posix_sudoers\" \"it\" {\n  name = %q\n  content = %q\n}\n", name, content)
}

func plans(what string) resource.ConfigPlanChecks {
	return resourcetest.Plans("posix_sudoers.it", what)
}

// TestSudo checks that the rules take effect while the file exists.
func TestSudo(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	if out, err := exec.CommandContext(t.Context(), "useradd", "carla").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	may := func(command string, want bool) error {
		out, err := exec.Command("su", "carla", "-s", "/bin/sh", "-c", `sudo -n "$1"`, "sh", command).CombinedOutput()
		if (err == nil) != want {
			return errors.Join(err, fmt.Errorf("sudo %s as carla: succeeded %t, want %t, output: %s", command, err == nil, want, out))
		}
		return nil
	}
	both := func(yes, no string) resource.TestCheckFunc {
		return resourcetest.Check(func() error { return errors.Join(may(yes, true), may(no, false)) })
	}
	resourcetest.Must(t, may("/usr/bin/true", false))
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("carla", "carla ALL=(root) NOPASSWD: /usr/bin/true"), Check: both("/usr/bin/true", "/usr/bin/id")},
		resource.TestStep{Config: config("carla", "carla ALL=(root) NOPASSWD: /usr/bin/id"), Check: both("/usr/bin/id", "/usr/bin/true")},
	)
	resourcetest.Must(t, may("/usr/bin/id", false))
}

func TestChanges(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("a", "a ALL=(ALL) ALL"), Check: resourcetest.Check(is("a", "a ALL=(ALL) ALL\n"))},
		resource.TestStep{Config: config("a", "a ALL=(ALL) ALL\n"), ConfigPlanChecks: plans("")},
		resource.TestStep{Config: config("a", "# nobody"), ConfigPlanChecks: plans("update content"), Check: resourcetest.Check(is("a", "# nobody\n"))},
		// Invalid rules are an error of the plan, and the existing ones are kept.
		resource.TestStep{Config: config("a", "# two\na ALL="), PlanOnly: true, ExpectError: resourcetest.WrappedText("visudo on host local rejects the rules, so")},
		resource.TestStep{Config: config("a", "# two\na ALL="), ExpectError: resourcetest.WrappedText("line 2:7: syntax error")},
		resource.TestStep{Config: config("a", "# nobody"), ConfigPlanChecks: plans(""), Check: resourcetest.Check(is("a", "# nobody\n"))},
		resource.TestStep{Config: config("b", ""), ConfigPlanChecks: plans("delete create"), Check: resourcetest.Check(is("b", ""))},
	)
	if there, err := resourcetest.PathExists(dir + "a")(); there || err != nil {
		t.Errorf("the old file exists: %t (%v), want false", there, err)
	}
}

// TestChangedAfterPlan checks that an update does not replace rules that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	rules := func(content string) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("saved"), "content": cty.StringVal(content)}
	}
	resourcetest.SavedPlan{
		Types: types, TypeName: "posix_sudoers", Old: rules("# old"), New: rules("# new"), Path: dir + "saved", Attribute: "name",
	}.Everywhere(t)
}

// TestUnknown checks that rules that are unknown until the apply are checked before they are
// written, and that invalid rules do not replace existing ones.
func TestUnknown(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	text := func(rules string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"rules\" {\n  input = %q\n}\n", rules) +
			"resource \"posix_sudoers\" \"it\" {\n  name = \"unknown\"\n  content = terraform_data.rules.output\n}\n"
	}
	resourcetest.Steps(t, types,
		resource.TestStep{Config: text("x ALL="), ExpectError: resourcetest.WrappedText("line 1:7: syntax error")},
		resource.TestStep{
			PreConfig: func() {
				if there, err := resourcetest.PathExists(dir + "unknown")(); there || err != nil {
					t.Errorf("the file exists after the failed apply: %t (%v), want false", there, err)
				}
			},
			Config: text("x ALL=(ALL) ALL"), Check: resourcetest.Check(is("unknown", "x ALL=(ALL) ALL\n")),
		},
		resource.TestStep{Config: text("x ALL=("), ExpectError: resourcetest.WrappedText("syntax error")},
		resource.TestStep{PreConfig: func() { resourcetest.Must(t, is("unknown", "x ALL=(ALL) ALL\n")()) }, Config: text("y ALL=(ALL) ALL"), Check: resourcetest.Check(is("unknown", "y ALL=(ALL) ALL\n"))},
	)
}

// TestImportRepairs checks that a file without the required mode and group can be imported,
// and is repaired.
func TestImportRepairs(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	resourcetest.Must(t, write("by-hand", "# nobody")())
	resourcetest.Must(t, os.Chown(dir+"by-hand", 0, 1))
	resourcetest.Steps(t, types, resource.TestStep{
		Config:           "import {\n  to = posix_sudoers.it\n  id = \"by-hand\"\n}\n" + config("by-hand", "# nobody"),
		ConfigPlanChecks: plans("import update group mode"), Check: resourcetest.Check(is("by-hand", "# nobody\n")),
	})
}

// TestCreateBeforeDestroy checks that a replacement with create_before_destroy keeps the
// file.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	text := func(when string) string {
		return fmt.Sprintf(`
resource "terraform_data" "when" {
  input = %q
}
resource "posix_sudoers" "it" {
  name    = "before"
  content = "# nobody"
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.when.output]
  }
}
`, when)
	}
	here := resourcetest.Check(is("before", "# nobody\n"))
	resourcetest.Steps(t, types, resource.TestStep{Config: text("a"), Check: here}, resource.TestStep{Config: text("b"), Check: here})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	resourcetest.Must(t, os.Symlink("/etc/passwd", dir+"a-link"))
	resourcetest.Must(t, write("another", "b ALL=(ALL) ALL\n")())
	for name, tt := range map[string]struct{ name, content, want string }{
		"dot in name":   {"a.conf", "", "some programs ignore files with dots, tildes or other characters in their names"},
		"backup name":   {"a~", "", "letters, digits, dashes and underscores"},
		"slash in name": {"../a", "", "letters, digits, dashes and underscores"},
		"empty name":    {"", "", "letters, digits, dashes and underscores"},
		"return":        {"returns", "a\r\n", "carriage returns"},
		"link":          {"a-link", "", "neither followed nor replaced"},
		"other rules":   {"another", "# nobody", `To manage it, import it (id "local:another")`},
		"invalid rules": {"wrong", "a ALL=(ALL", "line 1:11: syntax error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.Fails(t, resourcetest.Provider(types), config(tt.name, tt.content), name != "link", tt.want)
		})
	}
}

// TestCheckOfTemporaryFile checks that the temporary file is checked before it is renamed:
// this check finds errors that the plan cannot find.
func TestCheckOfTemporaryFile(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		args := remotecmd.Program(cmd)
		if path := args[len(args)-1]; path != "-" {
			_, err := fmt.Fprintf(cmd.Stderr, "%s:1:2: syntax error\n", path)
			return host.Result{ExitCode: 1}, err
		}
		return host.Result{}, nil
	}})
	for _, name := range []string{"/etc", "/etc/sudoers.d"} {
		_, err := h.Mkdir(t.Context(), name, host.Attributes{})
		resourcetest.Must(t, err)
	}
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	resourcetest.Fails(t, p, config("a", "# nobody"), false, "Output of visudo: line 1:2: syntax error")
	if entries, err := h.ReadDir(t.Context(), "/etc/sudoers.d"); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v (%v), want nothing", entries, err)
	}
}

// TestNoSudo checks that an apply without sudo fails, and writes nothing.
func TestNoSudo(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(context.Context, host.Command) (host.Result, error) {
		return host.Result{ExitCode: 127}, nil
	}})
	p := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	resourcetest.Fails(t, p, config("a", "# nobody"), false, "The directory /etc/sudoers.d does not exist on host local: install sudo first")
	for _, name := range []string{"/etc", "/etc/sudoers.d"} {
		_, err := h.Mkdir(t.Context(), name, host.Attributes{})
		resourcetest.Must(t, err)
	}
	resourcetest.Fails(t, p, config("a", "# nobody"), false, "has no program visudo, which checks rules before they are written: install sudo first")
	if entries, err := h.ReadDir(t.Context(), "/etc/sudoers.d"); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v (%v), want nothing", entries, err)
	}
}

// TestConformance checks the laws of package conformance.
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
		Runs: tier.Pick(0, 3, 20),
		Types: map[string]conformance.Type{"posix_sudoers": {
			Leave: []string{"host"},
			Values: map[string]func(*rand.Rand) cty.Value{
				"name":    among("conf-a", "conf-b"),
				"content": among("", "# a\n", "# a", "x ALL=(ALL) ALL"),
			},
			ImportID: func(state cty.Value) string { return state.GetAttr("name").AsString() },
			Drift: func(_ context.Context, state cty.Value) error {
				return write(state.GetAttr("name").AsString(), "# scribbled\n")()
			},
		}},
	})
}

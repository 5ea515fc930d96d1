package published_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/peers/published"
)

// minCases is the number of test cases in hashicorp/time; fewer would mean that some
// were not found.
const minCases = 50

// terraformOnly has the tests of hashicorp/time that fail on OpenTofu, which replaces
// an object also when its trigger is created.
var terraformOnly = []string{"TestAccTimeRotating_LifecycleReplaceTriggeredBy"}

// TestTime runs the suite of hashicorp/time on the engine that the environment selects,
// by default in the flavor of Terraform, for which the suite was written. If both engines
// are selected, the suite runs once for each, because its cases keep values between runs.
func TestTime(t *testing.T) {
	t.Parallel()
	const module = "github.com/hashicorp/terraform-provider-time"
	engines, flavor, command := wanted(t)
	dir := t.TempDir()
	moved, err := published.Move(output(t, "go", "list", "-m", "-f", "{{.Dir}}", module), dir)
	if err != nil {
		t.Fatal(err)
	}
	if moved.Calls < minCases {
		t.Fatalf("found %d test cases, want at least %d", moved.Calls, minCases)
	}
	replaced := filepath.Join(t.TempDir(), "moved.mod")
	replace(t, replaced, module, dir)
	args := []string{
		"test", "-modfile=" + replaced, "-count=1", "-json",
		"-skip=^(" + strings.Join(moved.Registry, "|") + ")$", module + "/internal/provider",
	}
	var expected []string
	if flavor == "opentofu" {
		expected = terraformOnly
	}
	for _, engine := range engines {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Env = append(os.Environ(), "TF_ACC=1", "TF_ACC_PROVIDER_NAMESPACE=hashicorp", acctest.EnvFlavor+"="+flavor, acctest.EnvEngine+"="+engine)
		cmd.Env = append(cmd.Env, command...)
		out, err := cmd.CombinedOutput()
		if err != nil && len(expected) == 0 {
			t.Error(err)
		}
		passed := judge(t, out, expected)
		if want := minCases - len(moved.Registry) - len(expected); passed < want {
			t.Errorf("%d tests passed, want at least %d:\n%s", passed, want, out)
		}
		t.Logf("%d tests of %s passed on the engine %q as %s; %d need a registry and were skipped: %s",
			passed, module, engine, flavor, len(moved.Registry), moved.Registry)
	}
}

// wanted returns the engines, the flavor, and the environment variables that select the
// real command for a test outside of this repository.
func wanted(t *testing.T) (engines []string, flavor string, command []string) {
	t.Helper()
	engine := os.Getenv(acctest.EnvEngine)
	if engine != "cli" && engine != "both" {
		return []string{engine}, cmp.Or(os.Getenv(acctest.EnvFlavor), "terraform"), nil
	}
	cli := acctest.Engine(t)
	command = []string{"POSIX_TF=" + cli.Path, acctest.EnvRequire + "=require"}
	flavor = "terraform"
	if strings.Contains(cli.RegistryHost(), "opentofu") {
		flavor = "opentofu"
	}
	if engine == "both" {
		return []string{"inprocess", "cli"}, flavor, command
	}
	return []string{engine}, flavor, command
}

// judge returns the number of passed tests. It fails the test unless exactly the expected
// tests failed.
func judge(t *testing.T, out []byte, expected []string) (passed int) {
	t.Helper()
	printed := map[string]string{}
	for line := range bytes.Lines(out) {
		var event struct{ Action, Test, Output string }
		if err := json.Unmarshal(line, &event); err != nil || event.Test == "" {
			continue // output of the go command or the package
		}
		failing := slices.Contains(expected, event.Test)
		switch event.Action {
		case "output":
			printed[event.Test] += event.Output
		case "pass":
			passed++
			if failing {
				t.Errorf("%s passed: remove it from terraformOnly", event.Test)
			}
		case "fail":
			if !failing {
				t.Errorf("%s failed:\n%s", event.Test, printed[event.Test])
			}
		}
	}
	return passed
}

// replace writes the module file of this module with a local directory for one of its
// requirements, and its checksums.
func replace(t *testing.T, path, module, dir string) {
	t.Helper()
	for name, to := range map[string]string{"go.mod": path, "go.sum": strings.TrimSuffix(path, ".mod") + ".sum"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	output(t, "go", "mod", "edit", "-replace", module+"="+dir, "-replace", "github.com/posixform/terraform-provider-posix="+root, path)
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// TestMove checks that Move replaces all calls, and lists exactly the tests that need a
// registry, so that no other test is skipped.
func TestMove(t *testing.T) {
	t.Parallel()
	module, dir := t.TempDir(), t.TempDir()
	source := `package p

import r "github.com/hashicorp/terraform-plugin-testing/helper/resource"

func TestA(t *testing.T) { r.UnitTest(t, r.TestCase{}) }

func TestB(t *testing.T) { r.Test(t, r.TestCase{Steps: []r.TestStep{{ExternalProviders: old()}}}) }
`
	if err := os.WriteFile(filepath.Join(module, "a_test.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := published.Move(module, dir); err == nil {
		t.Error("Move accepted a file without an import declaration in parentheses")
	}
	block := strings.Replace(source, "import r", "import (\n\tr", 1)
	block = strings.Replace(block, "resource\"\n", "resource\"\n)\n", 1)
	if err := os.WriteFile(filepath.Join(module, "a_test.go"), []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	moved, err := published.Move(module, dir)
	if err != nil {
		t.Fatal(err)
	}
	if moved.Calls != 2 || !slices.Equal(moved.Registry, []string{"TestB"}) {
		t.Errorf("got %+v, want 2 calls, and the registry needed by TestB", moved)
	}
	got, err := os.ReadFile(filepath.Join(dir, "a_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acctest.UnitTest(t, r.TestCase{})", "acctest.Test(t, r.TestCase{", "posix/acctest\""} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the moved file lacks %q:\n%s", want, got)
		}
	}
}

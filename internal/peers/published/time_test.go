package published_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/peers/published"
)

// minCases is how many test cases hashicorp/time has; fewer would mean that they
// were not found.
const minCases = 50

// terraformOnly are the tests of hashicorp/time that fail on OpenTofu, which
// replaces an object also when the one that it is triggered by is created.
var terraformOnly = []string{"TestAccTimeRotating_LifecycleReplaceTriggeredBy"}

// TestTime runs the suite of hashicorp/time on the engine that the environment
// says, with the verdicts of Terraform, for which the suite was written, where it
// says nothing.
func TestTime(t *testing.T) {
	t.Parallel()
	const module = "github.com/hashicorp/terraform-provider-time"
	flavor := openTofuOrTerraform(t)
	dir := t.TempDir()
	moved, err := published.Move(output(t, "go", "list", "-m", "-f", "{{.Dir}}", module), dir)
	if err != nil {
		t.Fatal(err)
	}
	if moved.Calls < minCases {
		t.Fatalf("%d test cases were found, want %d", moved.Calls, minCases)
	}
	replaced := filepath.Join(t.TempDir(), "moved.mod")
	replace(t, replaced, module, dir)
	skip := "^(" + strings.Join(moved.Registry, "|") + ")$"
	cmd := exec.CommandContext(t.Context(), "go", "test", "-modfile="+replaced, "-count=1", "-json", "-skip="+skip, module+"/internal/provider")
	cmd.Env = append(os.Environ(), "TF_ACC=1", "TF_ACC_PROVIDER_NAMESPACE=hashicorp", acctest.EnvFlavor+"="+flavor)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	passed, failed, rest := results(t, out)
	var expected []string
	if flavor == "opentofu" {
		expected = terraformOnly
	}
	for name, printed := range failed {
		if !slices.Contains(expected, name) {
			t.Errorf("%s failed:\n%s", name, printed)
		}
	}
	for _, name := range expected {
		if _, ok := failed[name]; !ok {
			t.Errorf("%s passed, and is listed as one that does not on OpenTofu", name)
		}
	}
	if want := minCases - len(moved.Registry) - len(expected); passed < want {
		t.Errorf("%d tests passed, want %d: %v\n%s%s", passed, want, err, rest, &stderr)
	}
	t.Logf("%d tests of %s passed; %d need a registry and were left out: %s", passed, module, len(moved.Registry), moved.Registry)
}

// openTofuOrTerraform is whose verdicts the environment asks for.
func openTofuOrTerraform(t *testing.T) string {
	t.Helper()
	switch os.Getenv(acctest.EnvEngine) {
	case "cli", "both":
		if strings.Contains(acctest.Engine(t).RegistryHost(), "opentofu") {
			return "opentofu"
		}
		return "terraform"
	}
	return cmp.Or(os.Getenv(acctest.EnvFlavor), "terraform")
}

// results counts the tests that passed and has what those printed that failed,
// and what was printed outside of tests.
func results(t *testing.T, out []byte) (passed int, failed map[string]string, rest string) {
	t.Helper()
	printed, failed := map[string]string{}, map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var event struct{ Action, Test, Output string }
		if err := d.Decode(&event); err == io.EOF {
			return passed, failed, printed[""]
		} else if err != nil {
			t.Fatalf("what go test printed: %v\n%s", err, out)
		}
		switch {
		case event.Action == "output" || event.Action == "build-output":
			printed[event.Test] += event.Output
		case event.Test == "": // of the package
		case event.Action == "pass":
			passed++
		case event.Action == "fail":
			failed[event.Test] = printed[event.Test]
		}
	}
}

// replace writes the module file of this module with another folder for one that
// it requires, and its checksums beside it.
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

// The tests that need a registry are those, and no others, that this module
// cannot run: a list that grows is a suite that is not run.
func TestMoveFindsWhatNeedsARegistry(t *testing.T) {
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
		t.Error("a file without a block of imports was moved")
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
		t.Errorf("%+v; want 2 calls, and TestB to need a registry", moved)
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

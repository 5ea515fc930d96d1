package published_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/peers/published"
)

// minCases is how many test cases hashicorp/time has; fewer would mean that they
// were not found.
const minCases = 50

// TestTime runs the suite of hashicorp/time, on the engine that the environment
// says.
func TestTime(t *testing.T) {
	t.Parallel()
	const module = "github.com/hashicorp/terraform-provider-time"
	if engine := os.Getenv(acctest.EnvEngine); engine == "cli" || engine == "both" {
		acctest.Engine(t)
	}
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
	cmd.Env = append(os.Environ(), "TF_ACC=1", "TF_ACC_PROVIDER_NAMESPACE=hashicorp")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	passed := results(t, out)
	if err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
	if passed < minCases-len(moved.Registry) {
		t.Errorf("%d tests passed, want %d", passed, minCases-len(moved.Registry))
	}
	t.Logf("%d tests of %s passed; %d need a registry and were left out: %s", passed, module, len(moved.Registry), moved.Registry)
}

// results counts the tests that passed, and has those that failed fail here with
// what they printed.
func results(t *testing.T, out []byte) int {
	t.Helper()
	printed := map[string][]string{}
	passed := 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var event struct{ Action, Test, Output string }
		if err := d.Decode(&event); err == io.EOF {
			return passed
		} else if err != nil {
			t.Errorf("what go test printed: %v", err)
			return passed
		}
		switch {
		case event.Test == "" && event.Action == "output" && !regexp.MustCompile(`^(PASS|FAIL|ok|exit)`).MatchString(event.Output):
			t.Log(event.Output)
		case event.Action == "output":
			printed[event.Test] = append(printed[event.Test], event.Output)
		case event.Action == "pass" && event.Test != "":
			passed++
		case event.Action == "fail" && event.Test != "":
			t.Errorf("%s failed:\n%s", event.Test, strings.Join(printed[event.Test], ""))
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

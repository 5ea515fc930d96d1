package published_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// suite describes the tests of a published module and their expected results.
type suite struct {
	module   string
	packages []string
	// passed is the number of tests that pass on the in-process engine in the flavor of Terraform;
	// refused is the number of tests that need a feature that the engine refuses.
	passed, refused int
	// unlikeTerraform has the tests that fail in the flavor of OpenTofu, with their reasons. It is
	// not checked if it is nil.
	unlikeTerraform map[string]string
	// omitted has patterns of tests that do not run, with their reasons.
	omitted map[string]string
	// port is a file in testdata whose functions replace those in replaced, so that the tests
	// of the first package run against a port. The tests of testdata/port_test.go run too.
	port string
	// replaced has the functions that port replaces: all that return the module's own provider.
	replaced []string
	// nightly is set if only make check-all runs the suite.
	nightly bool
	// slow is the name of a passing test that only make check-all runs, because it sleeps for a minute.
	slow string
}

const (
	rotating      = "TestAccTimeRotating_LifecycleReplaceTriggeredBy"
	replacedAgain = "replace_triggered_by of OpenTofu also replaces the resource if the object that it refers to is created again"
)

var suites = map[string]suite{
	"time": {
		module:   "github.com/hashicorp/terraform-provider-time",
		packages: []string{"internal/provider"},
		passed:   50,
		refused:  4,
		slow:     rotating,
		unlikeTerraform: map[string]string{
			rotating: replacedAgain,
		},
	},
	"time on this runtime": {
		module:   "github.com/hashicorp/terraform-provider-time",
		packages: []string{"internal/provider"},
		port:     "time_port_test.go",
		replaced: []string{"protoV5ProviderFactories", "protoV5ProviderFactoriesTestProvider", "protoV6ProviderFactories"},
		passed:   45, // including TestPortSchema
		refused:  4,
		slow:     rotating,
		unlikeTerraform: map[string]string{
			rotating: replacedAgain,
		},
		omitted: map[string]string{
			"TestAccTime(Offset|Rotating|Sleep)_Validators": "they expect the text of terraform-plugin-framework-validators; TestConstraints of the port checks the same rules",
			"TestResourceTimeSleep(Create|Delete)":          "they call the code of the module's own provider",
			"TestAccTimeRotating_UpdateUnknownValue": "it expects that the plan has the wrong time 0001-01-01T00:00:00Z for an unknown value, and that the apply fails; " +
				"the port plans an unknown time, and the apply succeeds",
		},
	},
	"local": {
		module:          "github.com/terraform-providers/terraform-provider-local",
		packages:        []string{"internal/provider"},
		passed:          37,
		refused:         6,
		unlikeTerraform: map[string]string{},
		omitted: map[string]string{
			"TestDirectoryExists_invalid_symlink":                           "its symbolic link is not part of the module, because modules have only regular files",
			"TestLocalCommand(DataSource|Ephemeral)_stdout_(json|csv|yaml)": "jq and yq may not be installed",
		},
	},
	"local on this runtime": {
		module:          "github.com/terraform-providers/terraform-provider-local",
		packages:        []string{"internal/provider"},
		port:            "local_port_test.go",
		replaced:        []string{"protoV5ProviderFactories"},
		passed:          34, // including TestPortSchema
		refused:         6,
		unlikeTerraform: map[string]string{},
		omitted: map[string]string{
			"TestLocal(Sensitive)?File_Validators":                          "they expect the text of terraform-plugin-framework-validators; TestConstraints of the port checks the same rules",
			"TestLocalFileSensitiveDataSourceCheckSensitiveAttributes":      "it calls the code of the module's own provider; TestPortSchema checks the same of the port",
			"TestDirectoryExists_invalid_symlink":                           "its symbolic link is not part of the module, because modules have only regular files",
			"TestLocalCommandAction_not_found":                              "it expects the words of the diagnostic of the module's own provider",
			"TestLocalCommand(DataSource|Ephemeral)_stdout_(json|csv|yaml)": "jq and yq may not be installed",
		},
	},
	"testing": {
		module:   "github.com/hashicorp/terraform-plugin-testing",
		packages: []string{"plancheck", "statecheck", "echoprovider", "helper/resource/importstate"},
		passed:   423,
		refused:  53,
		omitted: map[string]string{
			"TestImportBlock_WithID_WithBlankOptionalAttribute_GeneratesCorrectPlan":                                                                                                         "it names the registry of Terraform as its provider's source, where OpenTofu does not find the provider under test",
			"TestImportBlock_WithID(_GenerateConfig)?_ExpectError|TestImportBlock_WithResourceIdentity_(GenerateConfig_Expect|ChangingIdentity)Error|TestImportCommand_GenerateConfig_Error": "they expect messages of terraform-plugin-testing itself, whose text is different in acctest",
		},
		nightly: true,
	},
}

// refusal matches the reason in the errors of tests that the in-process engine cannot run.
var refusal = regexp.MustCompile(`(come from a registry|AllowDeferral needs an experimental build)`)

// TestSuites runs the suites on the in-process engine, in the flavor of Terraform, for which they
// were written. If the environment selects the command, they also run on both engines in the
// flavor of the command. Both engines must then have the same verdict on each test that the
// in-process engine does not refuse.
func TestSuites(t *testing.T) {
	t.Parallel()
	for name, s := range suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s.nightly {
				tier.Nightly(t)
			}
			s.run(t)
		})
	}
}

// TestTable checks that the table in docs/testing.md has the numbers of the suites.
func TestTable(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "| suite | pass | refused | verdicts that differ |\n|---|--:|--:|--:|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for name, s := range suites {
		want = append(want, fmt.Sprintf("| %s | %d | %d | 0 |", name, s.passed, s.refused))
	}
	if got := strings.Split(table, "\n"); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("docs/testing.md has\n%s\nwant in any order\n%s", table, strings.Join(want, "\n"))
	}
}

func (s *suite) run(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := Move(output(t, "go", "list", "-m", "-f", "{{.Dir}}", s.module), dir); err != nil {
		t.Fatal(err)
	}
	if s.port != "" {
		err := ReplaceFuncs(filepath.Join(dir, s.packages[0]), s.replaced, filepath.Join("testdata", s.port), filepath.Join("testdata", "port_test.go"))
		if err != nil {
			t.Fatal(err)
		}
	}
	modfile := filepath.Join(t.TempDir(), "moved.mod")
	replace(t, modfile, s.module, dir)
	omitted, wanted := slices.Sorted(maps.Keys(s.omitted)), s.passed
	if s.slow != "" && tier.Pick(true, true, false) {
		omitted, wanted = append(omitted, s.slow), wanted-1
	}

	own := s.test(t, modfile, omitted, acctest.EnvEngine+"=inprocess", acctest.EnvFlavor+"=terraform")
	for _, name := range own.with("fail") {
		t.Errorf("%s failed:\n%s", name, own[name].output)
	}
	if passed, refused := len(own.with("pass")), len(own.with("refuse")); passed != wanted || refused != s.refused {
		t.Errorf("%d tests passed and %d were refused, want %d and %d", passed, refused, wanted, s.refused)
	}
	if engine := os.Getenv(acctest.EnvEngine); engine != "cli" && engine != "both" {
		return
	}
	command := acctest.NeedsCLI(t)
	flavor := "terraform"
	if strings.Contains(command.RegistryHost(), "opentofu") {
		flavor = "opentofu"
	}
	own = s.test(t, modfile, omitted, acctest.EnvEngine+"=inprocess", acctest.EnvFlavor+"="+flavor)
	if failed, want := own.with("fail"), slices.Sorted(maps.Keys(s.unlikeTerraform)); s.unlikeTerraform != nil && flavor == "opentofu" && !slices.Equal(failed, want) {
		t.Errorf("%s failed in the flavor of OpenTofu, want %s", failed, want)
	}
	for _, name := range own.with("refuse") {
		omitted = append(omitted, regexp.QuoteMeta(name))
		delete(own, name)
	}
	cli := s.test(t, modfile, omitted, acctest.EnvEngine+"=cli", "POSIX_TF="+command.Path, acctest.EnvRequire+"=require")
	if len(cli) != len(own) {
		t.Errorf("%d tests ran on the command, and %d on the in-process engine, want the same number", len(cli), len(own))
	}
	for name, on := range cli {
		if in := own[name]; in.action != on.action {
			t.Errorf("the verdicts on %s differ: %q on the in-process engine, %q on the command:\n%s\n%s", name, in.action, on.action, in.output, on.output)
		}
	}
}

// results has the result of each test by name.
type results map[string]result

type result struct {
	action string // pass, fail, skip, or refuse
	output string
}

// with returns the sorted names of the tests with the given action.
func (r results) with(action string) []string {
	names := slices.Collect(maps.Keys(r))
	names = slices.DeleteFunc(names, func(name string) bool { return r[name].action != action })
	slices.Sort(names)
	return names
}

// test runs the tests except the omitted ones, logs which tests did not pass, and returns
// the results. Tests that the engine refuses do not count as failed.
func (s *suite) test(t *testing.T, modfile string, omitted []string, env ...string) results {
	t.Helper()
	args := []string{"test", "-modfile=" + modfile, "-count=1", "-json", "-timeout=40m"}
	if len(omitted) > 0 {
		args = append(args, "-skip=^("+strings.Join(omitted, "|")+")$")
	}
	for _, pkg := range s.packages {
		args = append(args, s.module+"/"+pkg)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(append(os.Environ(), "TF_ACC=1", "TF_ACC_PROVIDER_NAMESPACE=hashicorp"), env...)
	out, err := cmd.CombinedOutput()
	got := results{}
	for line := range bytes.Lines(out) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(line, &event) != nil || event.Test == "" {
			continue // output of the go command or the package
		}
		name, _, isSubtest := strings.Cut(event.Test, "/")
		r := got[name]
		switch event.Action {
		case "output":
			r.output += event.Output
		case "run":
			if !isSubtest {
				r.action = "fail" // if no event with its result follows
			}
		case "pass", "fail", "skip":
			if !isSubtest {
				r.action = event.Action
			}
		}
		got[name] = r
	}
	if len(got) == 0 {
		t.Fatalf("no test ran: %v\n%s", err, out)
	}
	reasons := map[string][]string{}
	for name, r := range got {
		if reason := refusal.FindString(r.output); r.action == "fail" && reason != "" {
			r.action = "refuse"
			got[name] = r
			reasons[reason] = append(reasons[reason], name)
		}
	}
	t.Logf("%s %s: %d tests passed; failed: %s; skipped: %s", s.module, env, len(got.with("pass")), got.with("fail"), got.with("skip"))
	for reason, names := range reasons {
		slices.Sort(names)
		t.Logf("refused by the in-process engine (%s): %s", reason, names)
	}
	for pattern, reason := range s.omitted {
		t.Logf("omitted (%s): %s", reason, pattern)
	}
	return got
}

// replace writes the go.mod of these tests to path, with dir in place of a required module and
// with this repository in place of terraform-provider-posix, and writes their go.sum next to it.
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

// TestReplaceFuncs checks that the named functions are replaced, that others are kept, and that
// each name must be declared once.
func TestReplaceFuncs(t *testing.T) {
	t.Parallel()
	added := filepath.Join(t.TempDir(), "port_test.go")
	write := func(name, source string) {
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(added, "package p\n\nfunc a() {}\n\nfunc c() {}\n\nfunc d() {}\n")
	dir := t.TempDir()
	write(filepath.Join(dir, "a_test.go"), "package p\n\nfunc a() {}\n\nfunc b() { a() }\n\nfunc (t) c() {}\n\nfunc c() {}\n")
	if err := ReplaceFuncs(dir, []string{"a", "c"}, added); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "a_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "package p\n\nfunc _() {}\n\nfunc b() { a() }\n\nfunc (t) c() {}\n\nfunc _() {}\n"; string(got) != want {
		t.Errorf("a_test.go has %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "port_test.go")); err != nil {
		t.Error(err)
	}
	for _, source := range []string{"package p\n\nfunc renamed() {}\n", "package p\n\nfunc a() {}\n\nfunc a() {}\n"} {
		dir := t.TempDir()
		write(filepath.Join(dir, "a_test.go"), source)
		if err := ReplaceFuncs(dir, []string{"a"}, added); err == nil {
			t.Errorf("ReplaceFuncs accepted %q, which does not declare the function a once", source)
		}
	}
}

// TestMove checks that Move replaces the calls of entries, and rejects a file that needs a
// second import if its imports are not in parentheses.
func TestMove(t *testing.T) {
	t.Parallel()
	module, dir := t.TempDir(), t.TempDir()
	source := `package p

import r "github.com/hashicorp/terraform-plugin-testing/helper/resource"

func TestA(t *testing.T) { r.UnitTest(t, r.TestCase{}) }
`
	if err := os.WriteFile(filepath.Join(module, "a_test.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Move(module, dir); err == nil {
		t.Error("Move accepted a file without an import declaration in parentheses")
	}
	block := strings.Replace(source, "import r", "import (\n\tr", 1)
	block = strings.Replace(block, "resource\"\n", "resource\"\n)\n", 1)
	if err := os.WriteFile(filepath.Join(module, "a_test.go"), []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Move(module, dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "a_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acctest.UnitTest(t, r.TestCase{})", "posix/acctest\""} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the moved file lacks %q:\n%s", want, got)
		}
	}
}

package acctest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// TestTiming checks that the table lists each step and its provider calls.
func TestTiming(t *testing.T) {
	t.Setenv(acctest.EnvTiming, "1")
	b := bench{t, filepath.Join(t.TempDir(), "note")}
	got := acctest.InProcess(t, b.steps(
		resource.TestStep{Config: b.config("a")},
		b.imports(func(*resource.TestStep) {}),
	))
	for _, want := range []string{
		`what it took:\ntest +[0-9.]+(µs|ms|s)`,
		`(?m)^step 1 +[0-9.]+(µs|ms) +[0-9.]+%  █+`,
		`(?m)^  PlanResourceChange ×\d demo_note\.this +[0-9.]+(µs|ms) +[0-9.]+%`,
		`(?m)^  ApplyResourceChange demo_note\.this `,
		`(?m)^  GetProviderSchema .*posixform/demo`,
		`(?m)^  \(engine and test\) `,
		`(?s)\nstep 2 .*\n  ImportResourceState demo_note\.this .*\ndestroy .*\n  ApplyResourceChange demo_note\.this `,
	} {
		if !regexp.MustCompile(want).MatchString(got.Log) {
			t.Errorf("the table has nothing like %s:\n%s", want, got.Log)
		}
	}
	if strings.Count(got.Log, "ImportResourceState") != 1 {
		t.Errorf("a call is in another step's part:\n%s", got.Log)
	}
}

// TestNoTiming checks that nothing is logged by default.
func TestNoTiming(t *testing.T) {
	t.Setenv(acctest.EnvTiming, "")
	b := bench{t, filepath.Join(t.TempDir(), "note")}
	if got := acctest.InProcess(t, b.steps(resource.TestStep{Config: b.config("a")})); got.Log != "" {
		t.Errorf("the log is %q", got.Log)
	}
}

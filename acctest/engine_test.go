package acctest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

func TestEngineSetsTheFrameworkUp(t *testing.T) {
	t.Parallel()
	cli := acctest.Engine(t)
	for name, want := range map[string]string{
		"TF_ACC_TERRAFORM_PATH":     cli.Path,
		"TF_ACC_PROVIDER_HOST":      cli.RegistryHost(),
		"TF_ACC_PROVIDER_NAMESPACE": acctest.Namespace,
		"TF_CLI_CONFIG_FILE":        os.DevNull,
	} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s=%s, want %s", name, got, want)
		}
	}
	if os.Getenv("TF_ACC") == "" {
		t.Error("TF_ACC is unset: acceptance tests would be skipped")
	}
}

// A process decides once, so each case is a process of its own: this binary
// with an engine that does not exist.
func TestEngineIsMissed(t *testing.T) {
	t.Parallel()
	if os.Getenv("ACCTEST_CHILD") != "" {
		acctest.Engine(t)
		t.Fatal("an engine was found")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		require string
		fails   bool
		want    string
	}{
		"skipped with a message by itself": {require: "", fails: false, want: "--- SKIP: TestEngineIsMissed"},
		"fails where it is required":       {require: "require", fails: true, want: "--- FAIL: TestEngineIsMissed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestEngineIsMissed$", "-test.v")
			cmd.Env = append(os.Environ(),
				"ACCTEST_CHILD=1",
				"POSIX_TF=/nonexistent/tofu",
				acctest.EnvRequire+"="+tt.require,
			)
			out, err := cmd.CombinedOutput()
			if (err != nil) != tt.fails {
				t.Errorf("failed: %t, want %t", err != nil, tt.fails)
			}
			for _, want := range []string{tt.want, "POSIX_TF=/nonexistent/tofu"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

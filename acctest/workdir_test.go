package acctest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// counted counts the calls of its function.
type counted struct {
	provider.Unimplemented
	called *atomic.Int32
	closed *atomic.Int32 // counts the calls of Close, if not nil
}

func (c counted) Close() error {
	if c.closed != nil {
		c.closed.Add(1)
	}
	return nil
}

func (counted) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider:  provider.Schema{Body: &configschema.Block{}},
		Functions: map[string]provider.FunctionDecl{"one": {ReturnType: cty.Number, Summary: "One.", Description: "One."}},
	}
}

func (c counted) CallFunction(context.Context, provider.CallFunctionRequest) provider.CallFunctionResponse {
	c.called.Add(1)
	return provider.CallFunctionResponse{Result: cty.NumberIntVal(1)}
}

// TestServedWorkdir checks that all commands use the same provider, and that it is closed
// when the test ends.
func TestServedWorkdir(t *testing.T) {
	t.Parallel()
	var built, called, closed atomic.Int32
	t.Cleanup(func() {
		if closed.Load() != built.Load() {
			t.Errorf("the provider was built %d times and closed %d times, want equal numbers", built.Load(), closed.Load())
		}
	})
	w := acctest.NewServedWorkdir(t, "counted", func() (provider.Interface, error) {
		built.Add(1)
		return counted{called: &called, closed: &closed}, nil
	})
	w.Write("main.tf", "output \"one\" {\n  value = provider::counted::one()\n}\n")
	w.Do(nil, "apply", "-auto-approve")
	first := called.Load()
	w.Do(nil, "apply", "-auto-approve")
	if built.Load() != 1 || first == 0 || called.Load() <= first {
		t.Errorf("the provider was built %d times, want once; its function was called %d times after the first command and %d times after the second, "+
			"want at least one call by each", built.Load(), first, called.Load())
	}
}

func TestNeedsCLISetsTheFrameworkUp(t *testing.T) {
	t.Parallel()
	cli := acctest.NeedsCLI(t)
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

// TestSelectedCLIMissing checks that a test fails if EnvEngine selects the command and
// there is none. The message must not mention the Makefile of this repository.
func TestSelectedCLIMissing(t *testing.T) {
	if engine := os.Getenv("ACCTEST_ASKED"); engine != "" {
		t.Setenv(acctest.EnvEngine, engine)
		t.Chdir(t.TempDir())
		b := newBench(t)
		acctest.Test(t, b.steps(resource.TestStep{Config: b.config("a")}))
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"cli", "both"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestSelectedCLIMissing$", "-test.v")
			cmd.Env = append(os.Environ(), "ACCTEST_ASKED="+engine, "PATH=/nonexistent", "POSIX_TF=", acctest.EnvRequire+"=")
			out, err := cmd.CombinedOutput()
			want := acctest.EnvEngine + "=" + engine + " needs OpenTofu or Terraform:\n"
			if err == nil || !strings.Contains(strings.ReplaceAll(string(out), "\n        ", "\n"), want) || strings.Contains(string(out), "make") {
				t.Errorf("the test binary returned the error %v; want a failure whose output has %q and not \"make\":\n%s", err, want, out)
			}
		})
	}
}

// TestCLIMissing checks that tests are skipped or fail if there is no command. Each case
// runs this test binary again, because a process searches for the command only once.
func TestCLIMissing(t *testing.T) {
	t.Parallel()
	if os.Getenv("ACCTEST_CHILD") != "" {
		acctest.NeedsCLI(t)
		t.Fatal("a command was found, want none")
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
		"skipped by default": {require: "", fails: false, want: "--- SKIP: TestCLIMissing"},
		"fails if required":  {require: "require", fails: true, want: "--- FAIL: TestCLIMissing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestCLIMissing$", "-test.v")
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

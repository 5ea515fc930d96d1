package conformance_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// plantedDir is an environment variable that makes the test binary serve the provider with
// the bug endsProcess.
const plantedDir = "CONFORMANCE_TEST_PLANTED_DIR"

func TestMain(m *testing.M) {
	if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_SDK_PROTO", "off")); err != nil {
		panic(err)
	}
	dir := os.Getenv(plantedDir)
	if dir == "" {
		m.Run()
		return
	}
	p, err := newPlanted(endsProcess, dir)(context.Background())
	if err != nil {
		panic(err)
	}
	s, err := server.New(context.Background(), p)
	if err != nil {
		panic(err)
	}
	if err := tf6server.Serve("example.test/test/planted", func() tfplugin.ProviderServer { return s }); err != nil {
		panic(err)
	}
}

// TestCrash checks that a crash is reported and not treated as a refusal: the end of the
// process, after which it is started again, and a panic that the runtime recovers.
func TestCrash(t *testing.T) {
	tests := map[string]struct {
		law, contains string
		options       func(o *conformance.Options, dir string)
	}{
		"the process ends": {"process-lives", "ApplyResourceChange: The provider did not answer", func(o *conformance.Options, dir string) {
			o.Provider, o.OneInstance, o.Waive = dialPlanted(dir), true, interruptedCalls
		}},
		"the runtime recovers a panic": {"no-panic", "ApplyResourceChange: Provider bug: the provider crashed", func(o *conformance.Options, dir string) {
			o.Provider = newPlanted(panics, dir)
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			options := optionsFor(t, noBug)
			options.Reset, options.ShrinkFor = emptied(dir), time.Minute
			tt.options(&options, dir)
			f := one(t, options)
			if f.Law.ID != tt.law || !strings.Contains(f.String(), tt.contains) || len(f.Steps) != 1 || attributesIn(f) != 2 {
				t.Errorf("want the law %s, one step, two attributes and %q, got:\n%s", tt.law, tt.contains, f)
			}
			if !regexp.MustCompile(`content = "[^"]{3}"`).MatchString(f.Configs[0]) {
				t.Errorf("want a content of three characters, the shortest that causes a crash, got:\n%s", f)
			}
			t.Run("replayed", func(t *testing.T) {
				t.Setenv(conformance.EnvSeed, f.Replay)
				options.Seed = 2
				if again := one(t, options); again.Law.ID != tt.law || !slices.Equal(again.Configs, f.Configs) {
					t.Errorf("want the law and the configurations of the first run in the replay; the first run:\n%s\nthe replay:\n%s", f, again)
				}
			})
			t.Run("waived", func(t *testing.T) {
				options.Waive, options.Runs = maps.Clone(interruptedCalls), 10
				options.Waive[tt.law] = "it is known"
				report, err := conformance.Find(t.Context(), options)
				if err != nil || len(report.Findings) > 0 || report.Types["planted_file"].Refused == 0 {
					t.Errorf("Find returned the error %v and the report %s, want no error, no findings and some refusals", err, report)
				}
			})
		})
	}
}

// TestPanicOfUpdate checks that an object whose update panics in this process is deleted.
func TestPanicOfUpdate(t *testing.T) {
	t.Parallel()
	p := &ideal{body: small(), onApply: func(req provider.ApplyResourceChangeRequest, _ *provider.ApplyResourceChangeResponse) {
		if !req.PriorState.IsNull() && !req.PlannedState.IsNull() {
			panic("test panic")
		}
	}}
	if f := one(t, idealOptions(p)); f.Law.ID != "no-panic" || len(p.objects) > 0 {
		t.Errorf("%d objects are left, want 0; want the law no-panic, got:\n%s", len(p.objects), f)
	}
}

// TestCrashOfOwnInstances checks that the end of the process is reported as in TestCrash, but
// with one process for each phase.
func TestCrashOfOwnInstances(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	dir := t.TempDir()
	options := optionsFor(t, noBug)
	options.Reset, options.Provider, options.Waive = emptied(dir), dialPlanted(dir), interruptedCalls
	if f := one(t, options); f.Law.ID != "process-lives" {
		t.Errorf("want the law process-lives, got:\n%s", f)
	}
}

// interruptedCalls waives the law that a correct process can break: a canceled gRPC call
// returns before the process has responded.
var interruptedCalls = map[string]string{"failed-apply": "a canceled call returns before the process has responded"}

// dialPlanted returns a function that starts the provider with the bug endsProcess in its own process.
func dialPlanted(dir string) func(context.Context) (provider.Interface, error) {
	return func(ctx context.Context) (provider.Interface, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return client.Dial(ctx, client.DialConfig{Path: self, Env: append(os.Environ(), plantedDir+"="+dir)})
	}
}

package tier_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestTiers checks, in a process for each case, which tests CI and Nightly skip and what
// Pick returns.
func TestTiers(t *testing.T) {
	t.Parallel()
	const child = "TIER_CHILD"
	if os.Getenv(child) != "" {
		t.Log("picked " + tier.Pick("fast", "ci", "all"))
		t.Run("CI", func(t *testing.T) { tier.CI(t) })
		t.Run("Nightly", func(t *testing.T) { tier.Nightly(t) })
		return
	}
	for _, tt := range []struct {
		name, env, short     string
		picked, ci, everyday string
	}{
		{"fast", "", "true", "fast", "SKIP", "SKIP"},
		{"ci", "", "false", "ci", "PASS", "SKIP"},
		{"nightly", "all", "false", "all", "PASS", "PASS"},
		{"short wins", "all", "true", "fast", "SKIP", "SKIP"},
		{"another value", "some", "false", "ci", "PASS", "SKIP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestTiers$", "-test.v", "-test.short="+tt.short)
			cmd.Env = append(os.Environ(), child+"=1", tier.Env+"="+tt.env)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"picked " + tt.picked, "--- " + tt.ci + ": TestTiers/CI", "--- " + tt.everyday + ": TestTiers/Nightly"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

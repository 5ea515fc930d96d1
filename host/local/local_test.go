//go:build unix && !aix && !solaris

package local_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

func newHost(t *testing.T) (host.Host, string) {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h, t.TempDir()
}

func newBenchHost(b *testing.B) (host.Host, string) {
	b.Helper()
	h, err := local.New()
	if err != nil {
		b.Fatal(err)
	}
	return h, b.TempDir()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	part, parts := 0, 1
	if number, ok := partOf(conformancePart); ok {
		if _, err := fmt.Sscanf(number, "%d/%d", &part, &parts); err != nil {
			t.Fatal(err)
		}
		t.Logf("part %d of %d as user %d ", part, parts, os.Geteuid())
	}
	hosttest.RunPart(t, newHost, part, parts)
}

//nolint:paralleltest // allocations of other tests would count
func TestStream(t *testing.T) { hosttest.Stream(t, newHost, 64<<20, 4<<20) }

func TestSwapped(t *testing.T) { t.Parallel(); hosttest.Swapped(t, newHost, tier.Pick(20, 100, 1000)) }

// TestCommandEnvironment checks that commands do not inherit variables that may be secrets.
//
//nolint:paralleltest // it sets variables
func TestCommandEnvironment(t *testing.T) {
	for _, name := range []string{"POSIX_PASSWORD", "POSIX_HOST_WEB_SUDO_PASSWORD", "AWS_SECRET_ACCESS_KEY", "TF_VAR_token", "TF_PLUGIN_MAGIC_COOKIE"} {
		t.Setenv(name, "hidden")
	}
	t.Setenv("LC_TIME", "C")
	h, _ := newHost(t)
	var out strings.Builder
	_, err := h.Run(t.Context(), host.Command{Args: []string{"env"}, Env: map[string]string{"ADDED": "too"}, Stdout: &out})
	if err != nil || strings.Contains(out.String(), "hidden") {
		t.Errorf("error %v, environment\n%s", err, out.String())
	}
	for _, want := range []string{"PATH=" + os.Getenv("PATH"), "LC_TIME=C", "ADDED=too"} {
		if !strings.Contains("\n"+out.String(), "\n"+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}

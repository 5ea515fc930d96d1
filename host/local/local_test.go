//go:build unix && !aix && !solaris

package local_test

import (
	"fmt"
	"os"
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
	if said, ok := partOf(conformancePart); ok {
		if _, err := fmt.Sscanf(said, "%d/%d", &part, &parts); err != nil {
			t.Fatal(err)
		}
		t.Logf("part %d of %d as user %d ", part, parts, os.Geteuid())
	}
	hosttest.RunPart(t, newHost, part, parts)
}

//nolint:paralleltest // what others allocate would count
func TestStream(t *testing.T) { hosttest.Stream(t, newHost, 64<<20, 4<<20) }

func TestSwapped(t *testing.T) { t.Parallel(); hosttest.Swapped(t, newHost, tier.Pick(20, 100, 1000)) }

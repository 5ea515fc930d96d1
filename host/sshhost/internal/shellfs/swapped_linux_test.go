package shellfs_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestSwapped checks that operations other than ReadDir, ReadTree and WriteTree do not follow a link that another
// user puts in the place of a file or directory, with the tools of different hosts.
func TestSwapped(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	variants := remotetest.Variants() // the first two are busybox without other tools, and dash
	for _, v := range variants[:tier.Pick(0, 2, len(variants))] {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			newHost := func(t *testing.T) (host.Host, string) { t.Helper(); return newShellHost(t, v.New(t)), t.TempDir() }
			hosttest.Swapped(t, newHost, hosttest.SwapObject, tier.Pick(0, 3, 100), "ReadDir", "ReadTree", "WriteTree")
		})
	}
}

//go:build unix && !aix && !solaris

package local_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
)

func newHost(t *testing.T) (host.Host, string) {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h, t.TempDir()
}

func TestConformance(t *testing.T) { hosttest.Run(t, newHost) }

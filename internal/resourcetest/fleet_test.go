package resourcetest_test

import (
	"errors"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestRemoteHostsAddress checks that a host responds if and only if the address of its last connection
// is not down.
func TestRemoteHostsAddress(t *testing.T) {
	t.Parallel()
	all := &resourcetest.RemoteHosts{Down: map[string]bool{"192.0.2.2": true}}
	connect := all.Hosts(t).Remote
	for address, down := range map[string]bool{"192.0.2.1": false, "192.0.2.2": true} {
		h, err := connect(sshhost.Options{Name: "web", Address: address})
		resourcetest.Must(t, err)
		if _, err := h.Lstat(t.Context(), "/"); errors.Is(err, host.ErrUnreachable) != down {
			t.Errorf("%s: error %v, want unreachable: %t", address, err, down)
		}
	}
}

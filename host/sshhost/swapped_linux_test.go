package sshhost_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestSwapped checks that operations except ReadDir, ReadTree and WriteTree change or read no file of root that another
// user chooses, on hosts with each backend.
func TestSwapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		config sshdtest.Config
	}{
		{"SFTP and Perl", sshdtest.Config{}},
		{"SFTP and a shell", sshdtest.Config{MaxSessions: 3}},
		{"shell only", sshdtest.Config{Subsystem: sshdtest.None}},
		{"SFTP only", sshdtest.Config{Lines: []string{"ForceCommand internal-sftp"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, o := serve(t, tt.config)
			newHost := func(t *testing.T) (host.Host, string) { t.Helper(); return open(t, o), t.TempDir() }
			hosttest.Swapped(t, newHost, hosttest.SwapObject, tier.Pick(3, 3, 1000), "ReadDir", "ReadTree", "WriteTree")
		})
	}
}

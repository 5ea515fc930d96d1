package remotetest

import (
	"os"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
)

// TrustedDirs returns the [remotefs.TrustedDirs] of a host on which operations are done as the user of the test.
func TrustedDirs() *remotefs.TrustedDirs {
	if os.Geteuid() != 0 {
		return nil
	}
	return &remotefs.TrustedDirs{}
}

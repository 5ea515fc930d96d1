package remotetest

import (
	"os"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
)

// Ways returns the [remotefs.Ways] of a host on which operations are done as the user of the test.
func Ways() *remotefs.Ways {
	if os.Geteuid() != 0 {
		return nil
	}
	return &remotefs.Ways{}
}

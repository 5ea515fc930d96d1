package directory

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
)

// checkNoMounts returns an error if something is mounted at the directory or below it, or if that
// cannot be determined. It runs before anything is deleted.
func checkNoMounts(ctx context.Context, h host.Host, dir string) error {
	mounts, err := mounttable.Below(ctx, h, dir)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was deleted, because force_destroy must not delete the content of other file systems, and it is unknown "+
			"whether any are mounted in %s on host %s: %w. Delete the content of the directory first", host.QuotePath(dir), h.Name(), err)
	case len(mounts) > 0:
		return fmt.Errorf("%s on host %s is a mount point, which force_destroy does not enter. "+
			"Nothing was deleted: unmount it first", host.QuotePath(mounts[0]), h.Name())
	}
	return nil
}

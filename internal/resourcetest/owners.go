package resourcetest

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/local"
)

// Owners checks the owner, group and mode of files of a directory, as "0:0 0644",
// for [After].
func Owners(dir string, want map[string]string) func() error {
	return func() error {
		here, err := local.New()
		if err != nil {
			return err
		}
		got := map[string]string{}
		for name := range want {
			info, err := here.Lstat(context.Background(), filepath.Join(dir, name))
			if err != nil {
				return err
			}
			got[name] = fmt.Sprintf("%d:%d %#o", info.UID, info.GID, uint32(info.Mode))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("owners (-want +got):\n%s", diff)
		}
		return nil
	}
}

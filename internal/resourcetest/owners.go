package resourcetest

import (
	"fmt"
	"path/filepath"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// Owners checks the owner, group and mode of files of a directory, as "0:0 0644",
// for [After].
func Owners(dir string, want map[string]string) func() error {
	return func() error {
		got := map[string]string{}
		for name := range want {
			var stat unix.Stat_t
			if err := unix.Lstat(filepath.Join(dir, name), &stat); err != nil {
				return err
			}
			got[name] = fmt.Sprintf("%d:%d %#o", stat.Uid, stat.Gid, stat.Mode&0o7777)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("owners (-want +got):\n%s", diff)
		}
		return nil
	}
}

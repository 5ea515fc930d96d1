package directory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
)

// checkNoMounts returns an error if another file system is mounted below the directory.
// It runs before anything is deleted.
func checkNoMounts(ctx context.Context, h host.Host, dir string, device uint64) error {
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return ignoreNotExist(err)
	}
	for _, e := range entries {
		if e.Type != host.TypeDirectory {
			continue
		}
		at := path.Join(dir, e.Name)
		info, err := h.Lstat(ctx, at)
		if err != nil {
			if err = ignoreNotExist(err); err != nil {
				return err
			}
			continue
		}
		if info.Device != device {
			return fmt.Errorf("%s on host %s is a mount point, which force_destroy does not enter. "+
				"Nothing was deleted: unmount it first", host.QuotePath(at), h.Name())
		}
		if err := checkNoMounts(ctx, h, at, device); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes a directory with its content. Links are deleted and never followed:
// an entry that has become a link since its directory was listed is an error. Entries
// that others delete at the same time are ignored.
func removeAll(ctx context.Context, h host.Host, dir string) error {
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return ignoreNotExist(err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name)
		if e.Type == host.TypeDirectory {
			err = removeAll(ctx, h, at)
		} else {
			err = ignoreNotExist(h.Remove(ctx, at))
		}
		if err != nil {
			return err
		}
	}
	return ignoreNotExist(h.Rmdir(ctx, dir))
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

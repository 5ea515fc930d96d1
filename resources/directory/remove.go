package directory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
)

// refuseMounts makes sure that no other file system is mounted below a
// directory: what is on it was never meant. It looks everywhere before anything
// is deleted.
func refuseMounts(ctx context.Context, h host.Host, dir string, device uint64) error {
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return gone(err)
	}
	for _, e := range entries {
		if e.Type != host.TypeDirectory {
			continue
		}
		at := path.Join(dir, e.Name)
		info, err := h.Lstat(ctx, at)
		if err != nil {
			if err = gone(err); err != nil {
				return err
			}
			continue
		}
		if info.Device != device {
			return fmt.Errorf("%s on host %s is a mount point, which force_destroy does not enter. "+
				"Nothing was deleted: unmount it first", host.QuotePath(at), h.Name())
		}
		if err := refuseMounts(ctx, h, at, device); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes a directory and all that is in it. Links are deleted and
// never entered: what is listed as a directory is listed again by an operation
// that does not follow, and is an error if it has become a link by then. What
// disappears meanwhile was to go anyway.
func removeAll(ctx context.Context, h host.Host, dir string) error {
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return gone(err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name)
		if e.Type == host.TypeDirectory {
			err = removeAll(ctx, h, at)
		} else {
			err = gone(h.Remove(ctx, at))
		}
		if err != nil {
			return err
		}
	}
	return gone(h.Rmdir(ctx, dir))
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

package directory

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
)

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

package shellfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Remove implements [host.Files].
func (f *Files) Remove(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		err = f.remove(ctx, path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			f.tidy(ctx, path)
		}
	}
	return f.fail("remove", path, err)
}

func (f *Files) remove(ctx context.Context, path string) error {
	answer, err := f.change(ctx, shell.Call("px_remove", path), 1)
	switch {
	case err != nil || answer[0] == "":
		return err
	case answer[0] == saidType:
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return why(answer[0], host.Attributes{})
}

// RemoveTemp implements [host.Files].
func (f *Files) RemoveTemp(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		f.tidy(ctx, path)
		err = ctx.Err()
	}
	return f.fail("remove the temporary file of", path, err)
}

// Rename implements [host.Files].
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return f.fail("rename", oldPath, err)
	}
	to := "rename " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return f.fail(to, newPath, err)
	}
	return f.fail(to, newPath, f.rename(ctx, oldPath, newPath))
}

// rename is rename(2), except that what it says of a type that does not fit is
// the same on all systems. The host's mv would copy what it can not rename, so
// that is not asked for.
func (f *Files) rename(ctx context.Context, oldPath, newPath string) error {
	seen, err := f.batches.Stats(ctx, oldPath, newPath, path.Dir(newPath))
	if err != nil {
		return err
	}
	from, to, parent := seen[0], seen[1], seen[2]
	isDir := from.Type == host.TypeDirectory
	switch {
	case from.Err != nil:
		return f.fail("rename", oldPath, from.Err)
	case to.Err == nil && isDir && to.Type != host.TypeDirectory:
		return wantType(to.Info, host.TypeDirectory)
	case to.Err == nil && !isDir && to.Type == host.TypeDirectory:
		return &host.TypeError{Got: host.TypeDirectory}
	case to.Err == nil && to.Device == from.Device && to.Inode == from.Inode:
		return nil // two names of one file stay, says POSIX
	case to.Err != nil && !errors.Is(to.Err, fs.ErrNotExist):
		return to.Err
	case parent.Err == nil && parent.Type != host.TypeSymlink && parent.Device != from.Device:
		return syscall.EXDEV
	}
	answer, err := f.change(ctx, shell.Call("px_move", oldPath, newPath), 1)
	if err != nil || answer[0] == "" {
		return err
	}
	err = why(answer[0], host.Attributes{})
	switch {
	case errors.Is(err, errLost):
		return f.fail("rename", oldPath, fs.ErrNotExist)
	case isDir && errors.Is(err, fs.ErrExist):
		return host.ErrNotEmpty
	}
	return err
}

// Link implements [host.Files].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return f.fail("link", oldPath, err)
	}
	to := "link " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return f.fail(to, newPath, err)
	}
	is, err := f.batches.Stat(ctx, oldPath)
	if err := cmp.Or(err, wantType(is, host.TypeRegular)); err != nil {
		return f.fail("link", oldPath, err)
	}
	answer, err := f.change(ctx, shell.Call("px_link", oldPath, newPath), 1)
	if err == nil && answer[0] != "" {
		err = why(answer[0], host.Attributes{})
	}
	return f.fail(to, newPath, err)
}

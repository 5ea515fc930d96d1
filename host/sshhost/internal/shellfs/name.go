package shellfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// Remove implements [remotefs.Backend].
func (f *Files) Remove(ctx context.Context, path string) error {
	answer, err := f.change(ctx, shell.Call("px_remove", path), 1)
	switch {
	case err != nil || answer[0] == "":
		return err
	case answer[0] == saidType:
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return why(answer[0], host.Attributes{})
}

// RemoveAll implements [remotefs.Backend].
func (f *Files) RemoveAll(ctx context.Context, paths []string) error {
	_, err := f.batches.Ask(ctx, shellrpc.Question{Text: shell.Call("px_discard", paths...)})
	return err
}

// Rename implements [remotefs.Backend]. It is rename(2) with the same type errors on all
// systems. mv would copy a file that it cannot rename, so that case is excluded first.
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	seen, err := f.batches.Stats(ctx, oldPath, newPath, path.Dir(newPath))
	if err != nil {
		return err
	}
	from, to, parent := seen[0], seen[1], seen[2]
	isDir := from.Type == host.TypeDirectory
	switch {
	case from.Err != nil:
		return &remotefs.OldPathError{Err: from.Err}
	case to.Err == nil && isDir && to.Type != host.TypeDirectory:
		return remotefs.WantType(toInfo(to.Info), host.TypeDirectory)
	case to.Err == nil && !isDir && to.Type == host.TypeDirectory:
		return &host.TypeError{Got: host.TypeDirectory}
	case to.Err == nil && to.Device == from.Device && to.Inode == from.Inode:
		return nil // POSIX: renaming a hard link to the same file does nothing
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
	case errors.Is(err, remotefs.ErrTempGone):
		return &remotefs.OldPathError{Err: fs.ErrNotExist}
	case isDir && errors.Is(err, fs.ErrExist):
		return host.ErrNotEmpty
	}
	return err
}

// Link implements [remotefs.Backend].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	is, err := f.batches.Stat(ctx, oldPath)
	if err := cmp.Or(err, remotefs.WantType(toInfo(is), host.TypeRegular)); err != nil {
		return &remotefs.OldPathError{Err: err}
	}
	answer, err := f.change(ctx, shell.Call("px_link", oldPath, newPath), 1)
	if err == nil && answer[0] != "" {
		err = why(answer[0], host.Attributes{})
	}
	return err
}

package shellfs

import (
	"cmp"
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// Symlink implements [host.Files].
func (f *Files) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	info, err := host.FileInfo{}, cmp.Or(beginMake(ctx, path), host.CheckLinkTarget(target))
	if err == nil {
		answer, failed := f.change(ctx, shell.Call("px_symlink", target, path), outcome)
		if err = failed; err == nil {
			info, err = f.settle(ctx, path, answer, host.TypeSymlink, host.Attributes{})
		}
	}
	if err != nil {
		return host.FileInfo{}, f.fail("make link", path, err)
	}
	return info, nil
}

// ReplaceSymlink implements [host.Files].
func (f *Files) ReplaceSymlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	info, err := host.FileInfo{}, cmp.Or(beginMake(ctx, path), host.CheckLinkTarget(target))
	if err == nil {
		info, err = f.replaceSymlink(ctx, target, path)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("make link", path, err)
	}
	return info, nil
}

// replaceSymlink makes a link beside path and renames it.
func (f *Files) replaceSymlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	release, err := f.locks.Lock(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer release()
	f.tidy(ctx, path)
	for {
		if err := ctx.Err(); err != nil {
			return host.FileInfo{}, err
		}
		temp := host.TempPath(path, lease.New())
		done := f.active.begin(temp)
		answer, err := f.change(ctx, shell.Call("px_relink", target, temp, path), outcome)
		done()
		if err != nil {
			return host.FileInfo{}, err
		}
		info, err := f.settle(ctx, path, answer, host.TypeSymlink, host.Attributes{})
		if !errors.Is(err, errLost) {
			return info, err
		}
	}
}

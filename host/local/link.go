//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/posixform/terraform-provider-posix/host"
)

// linkVariant distinguishes the temporary name of a link from that of a file: a link cannot
// be locked, so the two must not collide.
const linkVariant = "link"

// Link implements [host.Files].
func (h *Host) Link(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return h.fail("link", oldPath, err)
	}
	to := "link " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return h.fail(to, newPath, err)
	}
	if err := checkType(oldPath, host.TypeRegular); err != nil {
		return h.fail("link", oldPath, err)
	}
	return h.fail(to, newPath, os.Link(oldPath, newPath))
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	err := beginMake(ctx, path)
	if err == nil {
		err = host.CheckLinkTarget(target)
	}
	if err == nil {
		err = os.Symlink(target, path)
	}
	if err != nil {
		return host.FileInfo{}, h.fail("make link", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// ReplaceSymlink implements [host.Files].
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	if err := replaceSymlink(ctx, target, path); err != nil {
		return host.FileInfo{}, h.fail("make link", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// replaceSymlink creates a temporary link beside path and renames it. Links cannot be
// locked, so another writer of path may remove the temporary link as a leftover: it is then
// created again. Or each of two writers may rename the other's link, which has the same
// result as the opposite order.
func replaceSymlink(ctx context.Context, target, path string) error {
	if err := beginMake(ctx, path); err != nil {
		return err
	}
	if err := host.CheckLinkTarget(target); err != nil {
		return err
	}
	if err := replaceableLink(path); err != nil {
		return err
	}
	temp := host.TempPath(path, linkVariant)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := os.Symlink(target, temp)
		if errors.Is(err, fs.ErrExist) {
			if err := unlink(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		err = replaceableLink(path)
		if err == nil {
			err = renameOver(temp, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return undone(err, unlink(temp))
		}
		return nil
	}
}

func replaceableLink(path string) error {
	if err := checkType(path, host.TypeSymlink); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

//go:build unix && !aix && !solaris

package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return h.fail("remove", path, belowDo(ctx, h, path, func(name string) error { return remove(ctx, name) }))
}

func remove(ctx context.Context, path string) error {
	if err := begin(ctx, path); err != nil {
		return err
	}
	stat, err := os.Lstat(path)
	if err == nil && stat.IsDir() { // systems return different errors for unlink of a directory
		return &host.TypeError{Got: host.TypeDirectory}
	}
	if err == nil {
		err = synced(path, unlink(path))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		removeTemp(path)
	}
	return err
}

// RemoveTemp implements [host.Files].
func (h *Host) RemoveTemp(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		err = belowDo(ctx, h, path, func(name string) error {
			removeTemp(name)
			return nil
		})
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // without the directory there are no temporary files
		err = nil
	}
	return h.fail("remove the temporary file of", path, err)
}

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return h.fail("rename", oldPath, err)
	}
	to := "rename " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return h.fail(to, newPath, err)
	}
	return h.fail("rename", oldPath, belowDo(ctx, h, oldPath, func(old string) error {
		from, err := os.Lstat(old)
		if err != nil {
			return err
		}
		return h.fail(to, newPath, belowDo(ctx, h, newPath, func(name string) error { return synced(name, rename(from, old, name)) }))
	}))
}

// rename is rename(2) with the same type errors on all systems.
func rename(from fs.FileInfo, oldPath, newPath string) error {
	to, err := os.Lstat(newPath)
	if err == nil && from.IsDir() && !to.IsDir() {
		return fileType(to.Mode()).Want(host.TypeDirectory)
	}
	if err == nil && to.IsDir() && !from.IsDir() {
		return &host.TypeError{Got: host.TypeDirectory}
	}
	err = renameOver(oldPath, newPath)
	if errors.Is(err, fs.ErrExist) { // ENOTEMPTY or EEXIST, depending on the system
		return host.ErrNotEmpty
	}
	return err
}

// synced returns err. If err is nil, it first syncs the directory of path, where a name was
// added, replaced or removed. After a Rename, path is the new path: the directory of the old path is not synced.
// A removed file must not reappear after a power failure: it is no longer in the state.
func synced(path string, err error) error {
	if err == nil {
		syncDirectory(filepath.Dir(path))
	}
	return err
}

// unlink, rmdir and renameOver call the system directly. os.Remove tries unlink and rmdir, and
// would remove a directory that replaced the file in between; os.Rename does not replace an
// empty directory.
func unlink(path string) error { return ignoringEINTR(func() error { return syscall.Unlink(path) }) }
func rmdir(path string) error  { return ignoringEINTR(func() error { return syscall.Rmdir(path) }) }

func renameOver(from, to string) error {
	return ignoringEINTR(func() error { return syscall.Rename(from, to) })
}

// ignoringEINTR repeats a system call that a signal interrupts.
func ignoringEINTR(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	if err := belowDo(ctx, h, path, func(name string) error { return mkdir(ctx, name, attrs) }); err != nil {
		return host.FileInfo{}, h.fail("make directory", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// mkdir creates a directory with attrs, and removes the directory again if attrs cannot be set. A
// directory whose owner is set is created with mode 0700; any other has its final permission
// bits from the start, if the umask allows, so that a kill leaves no incomplete directory.
func mkdir(ctx context.Context, path string, attrs host.Attributes) error {
	if err := beginMake(ctx, path); err != nil {
		return err
	}
	attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o755)))
	first := os.FileMode(0o700)
	if attrs.UID == nil && attrs.GID == nil {
		first = os.FileMode(*attrs.Mode) & os.ModePerm
	}
	if err := os.Mkdir(path, first); err != nil {
		return err
	}
	if err := setAttributes(path, host.TypeDirectory, attrs); err != nil {
		return undone(err, rmdir(path))
	}
	return synced(path, nil)
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		err = belowDo(ctx, h, path, func(name string) error {
			if err := checkType(name, host.TypeDirectory); err != nil {
				return err
			}
			return synced(name, rmdir(name))
		})
	}
	if errors.Is(err, syscall.EEXIST) { // some systems return this for a directory that is not empty
		err = host.ErrNotEmpty
	}
	return h.fail("remove directory", path, err)
}

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
	return h.fail("link", oldPath, belowDo(ctx, h, oldPath, func(old string) error {
		if err := checkType(old, host.TypeRegular); err != nil {
			return err
		}
		return h.fail(to, newPath, belowDo(ctx, h, newPath, func(name string) error { return synced(name, os.Link(old, name)) }))
	}))
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	err := beginMake(ctx, path)
	if err == nil {
		err = host.CheckLinkTarget(target)
	}
	if err == nil {
		err = belowDo(ctx, h, path, func(name string) error { return synced(name, os.Symlink(target, name)) })
	}
	if err != nil {
		return host.FileInfo{}, h.fail("make link", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// ReplaceSymlink implements [host.Files].
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string, was *string) (host.FileInfo, error) {
	if err := belowDo(ctx, h, path, func(name string) error { return replaceSymlink(ctx, target, name, was) }); err != nil {
		return host.FileInfo{}, h.fail("make link", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// replaceSymlink creates a temporary link in the directory of path and renames it. Links cannot be
// locked, so another writer of path may remove the temporary link as a leftover: it is then
// created again. Or each of two writers may rename the other's link, which has the same
// result as the opposite order.
func replaceSymlink(ctx context.Context, target, path string, was *string) error {
	if err := beginMake(ctx, path); err != nil {
		return err
	}
	if err := host.CheckLinkTarget(target); err != nil {
		return err
	}
	if kept, err := replaceableLink(path, target, was); kept || err != nil {
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
		_, err = replaceableLink(path, target, was)
		if err == nil {
			err = renameOver(temp, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return undone(err, unlink(temp))
		}
		return synced(path, nil)
	}
}

// replaceableLink returns an error unless path is missing or a link that may be replaced. It reports
// whether the link is kept instead: see [host.CheckOldTarget].
func replaceableLink(path, target string, was *string) (kept bool, err error) {
	err = checkType(path, host.TypeSymlink)
	if err == nil && was != nil {
		var now string
		if now, err = os.Readlink(path); err == nil {
			kept, err = host.CheckOldTarget(now, target, was)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return kept, err
}

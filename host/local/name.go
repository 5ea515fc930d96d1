//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return h.fail("remove", path, remove(ctx, path))
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
		err = unlink(path)
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
		removeTemp(path)
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
	from, err := os.Lstat(oldPath)
	if err != nil {
		return h.fail("rename", oldPath, err)
	}
	return h.fail(to, newPath, rename(from, oldPath, newPath))
}

// rename is rename(2) with the same type errors on all systems.
func rename(from fs.FileInfo, oldPath, newPath string) error {
	to, err := os.Lstat(newPath)
	if err == nil && from.IsDir() && !to.IsDir() {
		return wantType(to, host.TypeDirectory)
	}
	if err == nil && to.IsDir() && !from.IsDir() {
		return &host.TypeError{Got: host.TypeDirectory}
	}
	err = renameOver(oldPath, newPath)
	if errors.Is(err, fs.ErrExist) { // ENOTEMPTY, or what some systems return instead
		return host.ErrNotEmpty
	}
	return err
}

// These call the system directly. os.Remove tries unlink and rmdir, and would remove a
// directory that took the file's place in between; os.Rename does not replace an empty
// directory.
func unlink(path string) error { return retry(func() error { return syscall.Unlink(path) }) }
func rmdir(path string) error  { return retry(func() error { return syscall.Rmdir(path) }) }

func renameOver(from, to string) error {
	return retry(func() error { return syscall.Rename(from, to) })
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

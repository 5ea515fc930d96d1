//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	if err := mkdir(ctx, path, attrs); err != nil {
		return host.FileInfo{}, h.fail("make directory", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// mkdir removes the directory again if it cannot complete it. A directory for another owner
// is created with mode 0700; any other has its final mode from the start, if the umask
// allows, so that a kill leaves no incomplete directory.
func mkdir(ctx context.Context, path string, attrs host.Attributes) error {
	if err := beginMake(ctx, path); err != nil {
		return err
	}
	if attrs.Mode == nil {
		attrs.Mode = new(host.Mode(0o755))
	}
	first := os.FileMode(0o700)
	if attrs.UID == nil && attrs.GID == nil {
		first = os.FileMode(*attrs.Mode) & os.ModePerm
	}
	if err := os.Mkdir(path, first); err != nil {
		return err
	}
	if err := setAttributes(path, attrs); err != nil {
		return undone(err, rmdir(path))
	}
	return nil
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		err = checkType(path, host.TypeDirectory)
	}
	if err == nil {
		err = rmdir(path)
	}
	if errors.Is(err, syscall.EEXIST) { // some systems return this for a directory that is not empty
		err = host.ErrNotEmpty
	}
	return h.fail("remove directory", path, err)
}

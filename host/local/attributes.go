//go:build unix && !aix && !solaris

package local

import (
	"context"
	"io/fs"
	"os"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// SetAttributes implements [host.Files].
func (h *Host) SetAttributes(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	if err := begin(ctx, path); err != nil {
		return host.FileInfo{}, h.fail("set mode and owner of", path, err)
	}
	if err := setAttributes(path, attrs); err != nil {
		return host.FileInfo{}, h.fail("set mode and owner of", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// setAttributes sets the bits that the old and the new mode share first if both mode and
// owner change, so that the new owner never has the old mode and the old owner never has
// the new mode.
func setAttributes(path string, attrs host.Attributes) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if attrs.Mode != nil && stat.Mode()&fs.ModeSymlink != 0 {
		return &host.TypeError{Got: host.TypeSymlink}
	}
	if err := attrs.Check(); err != nil {
		return err
	}
	mode, uid, gid := owned(stat)
	newOwner := attrs.OtherOwner(uid, gid)
	if newOwner {
		if attrs.Mode != nil && mode&*attrs.Mode&0o777 != mode {
			if err := chmodNoFollow(path, uint32(mode&*attrs.Mode&0o777)); err != nil {
				return err
			}
		}
		if err := os.Lchown(path, id(attrs.UID), id(attrs.GID)); err != nil {
			return attrs.OwnerError(cause(err))
		}
	}
	if attrs.Mode != nil && (newOwner || *attrs.Mode != mode) {
		if err := chmodNoFollow(path, uint32(*attrs.Mode)); err != nil {
			return err
		}
	}
	if stat, err = os.Lstat(path); err != nil {
		return err
	}
	return attrs.Accepted(owned(stat))
}

// setNew is setAttributes for a new file of this process with mode 0600, which grants
// nothing to its new owner until the mode is set. created is the file's info right after
// creation.
func setNew(file *os.File, created fs.FileInfo, attrs host.Attributes) error {
	if err := attrs.Check(); err != nil {
		return err
	}
	_, uid, gid := owned(created)
	if attrs.OtherOwner(uid, gid) {
		if err := file.Chown(id(attrs.UID), id(attrs.GID)); err != nil {
			return attrs.OwnerError(cause(err))
		}
	}
	if attrs.Mode == nil || *attrs.Mode == 0o600 {
		return nil
	}
	return fchmod(file, *attrs.Mode)
}

// fchmod sets a mode in the system's numbering; package os numbers the upper three bits
// differently.
func fchmod(file *os.File, mode host.Mode) error {
	for {
		if err := syscall.Fchmod(int(file.Fd()), uint32(mode)); err != syscall.EINTR {
			return err
		}
	}
}

func owned(stat fs.FileInfo) (host.Mode, uint32, uint32) {
	sys := stat.Sys().(*syscall.Stat_t) // the dynamic type on all supported systems
	return host.Mode(sys.Mode) & host.ModeMask, sys.Uid, sys.Gid
}

// id returns an ID as chown expects it: -1 keeps the current one.
func id(n *uint32) int {
	if n == nil {
		return -1
	}
	return int(*n)
}

//go:build unix && !aix && !solaris

package local

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
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
	return h.Lstat(context.WithoutCancel(ctx), path) // it is done: say so
}

// setAttributes goes by way of the bits that the old and the new mode share
// when both mode and owner change, so that a new owner never has the old mode
// nor the old owner the new one.
func setAttributes(path string, attrs host.Attributes) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if attrs.Mode != nil && stat.Mode()&fs.ModeSymlink != 0 {
		return &host.TypeError{Got: host.TypeSymlink}
	}
	if err := checkMode(attrs.Mode); err != nil {
		return err
	}
	mode, uid, gid := owned(stat)
	newOwner := differs(attrs.UID, uid) || differs(attrs.GID, gid)
	if newOwner {
		if attrs.Mode != nil && mode&*attrs.Mode&0o777 != mode {
			if err := chmodNoFollow(path, uint32(mode&*attrs.Mode&0o777)); err != nil {
				return err
			}
		}
		if err := os.Lchown(path, id(attrs.UID), id(attrs.GID)); err != nil {
			return ownerError(attrs, err)
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
	return accepted(stat, attrs)
}

// setNew is setAttributes for a new file of our own with mode 0600, which
// grants nothing to its new owner before the mode is set. created is how it was
// when it was made.
func setNew(file *os.File, created fs.FileInfo, attrs host.Attributes) error {
	if err := checkMode(attrs.Mode); err != nil {
		return err
	}
	_, uid, gid := owned(created)
	if differs(attrs.UID, uid) || differs(attrs.GID, gid) {
		if err := file.Chown(id(attrs.UID), id(attrs.GID)); err != nil {
			return ownerError(attrs, err)
		}
	}
	if attrs.Mode == nil || *attrs.Mode == 0o600 {
		return nil
	}
	return fchmod(file, *attrs.Mode)
}

// ownerError says which change of owner was refused.
func ownerError(attrs host.Attributes, err error) error {
	text := func(n *uint32) string {
		if n == nil {
			return "unchanged"
		}
		return strconv.FormatUint(uint64(*n), 10)
	}
	return fmt.Errorf("set owner (user %s, group %s): %w", text(attrs.UID), text(attrs.GID), cause(err))
}

// fchmod takes a mode as the system does; that of package os has other numbers
// for the upper three bits.
func fchmod(file *os.File, mode host.Mode) error {
	for {
		if err := syscall.Fchmod(int(file.Fd()), uint32(mode)); err != syscall.EINTR {
			return err
		}
	}
}

// accepted makes sure that the system did what it said: a file system without
// modes ignores them, and setgid is dropped without a word where the group is
// not one's own.
func accepted(stat fs.FileInfo, attrs host.Attributes) error {
	mode, uid, gid := owned(stat)
	switch {
	case attrs.Mode != nil && mode != *attrs.Mode:
		return fmt.Errorf("the system set mode %s where %s was asked for", mode, *attrs.Mode)
	case differs(attrs.UID, uid):
		return fmt.Errorf("the system left user %d where %d was asked for", uid, *attrs.UID)
	case differs(attrs.GID, gid):
		return fmt.Errorf("the system left group %d where %d was asked for", gid, *attrs.GID)
	}
	return nil
}

func checkMode(mode *host.Mode) error {
	if mode == nil {
		return nil
	}
	_, err := mode.MarshalText()
	return err
}

func owned(stat fs.FileInfo) (host.Mode, uint32, uint32) {
	sys := stat.Sys().(*syscall.Stat_t) // what os fills it with on these systems
	return host.Mode(sys.Mode) & host.ModeMask, sys.Uid, sys.Gid
}

func differs(want *uint32, got uint32) bool { return want != nil && *want != got }

// id is a number as chown takes it: -1 leaves what is.
func id(n *uint32) int {
	if n == nil {
		return -1
	}
	return int(*n)
}

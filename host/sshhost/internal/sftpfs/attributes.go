package sftpfs

import (
	"cmp"
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// SetAttributes implements [remotefs.Backend].
func (f *Files) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (info host.FileInfo, err error) {
	err = f.changeWithRetries(ctx, func(c *sftp.Client) error {
		is, err := c.Batch().Lstat(path).Do(ctx)
		if err != nil {
			return err
		}
		if err := attrs.CheckType(want, host.StatType(is.Mode)); err != nil {
			return err
		}
		info, err = setAttributes(ctx, c, path, is, attrs)
		return err
	})
	return info, err
}

// setAttributes sets attributes of the object at path. If both mode and owner change, it first sets
// the mode that grants only what both the old and the new mode grant, so that the new owner never has a
// permission that only the old mode grants, and the old owner never has one that only the new mode
// grants. Each step waits for the one before. The parameter named is contains the current attributes; the
// caller has checked that attrs can be set for their type.
func setAttributes(ctx context.Context, c *sftp.Client, path string, is sftp.Attrs, attrs host.Attributes) (host.FileInfo, error) {
	old := mode(is)
	newOwner := attrs.OtherOwner(is.UID, is.GID)
	if newOwner {
		if attrs.Mode != nil && old.Shared(*attrs.Mode) != old {
			if _, err := chmod(ctx, c, path, old.Shared(*attrs.Mode)); err != nil {
				return host.FileInfo{}, explain(ctx, c, path, err)
			}
		}
		if _, err := c.Batch().Lsetstat(path, ownerOf(attrs, is)).Do(ctx); err != nil {
			return host.FileInfo{}, attrs.OwnerError(cause(explain(ctx, c, path, err)))
		}
	}
	var now lstatReply
	switch {
	case attrs.Mode != nil && (newOwner || *attrs.Mode != old):
		var err error
		if now, err = chmod(ctx, c, path, *attrs.Mode); err != nil {
			return host.FileInfo{}, explain(ctx, c, path, err)
		}
	case !newOwner && host.StatType(is.Mode) != host.TypeSymlink: // for a link, is does not contain the target
		return toInfo(is), nil
	default:
		b := c.Batch()
		now = lstat(b, path)
		if err := b.Do(ctx); err != nil {
			return host.FileInfo{}, err
		}
	}
	info, err := lstatInfo(ctx, c, path, now)
	if err != nil {
		return host.FileInfo{}, err
	}
	return info, attrs.Accepted(info.Mode, info.UID, info.GID)
}

// chmod sets the mode of an object that was not a link when last checked, and returns the
// result of a later lstat. The server must not follow a link. For this, OpenSSH requires /proc, which a
// chroot may lack; chmodOpened is then the fallback.
func chmod(ctx context.Context, c *sftp.Client, path string, mode host.Mode) (lstatReply, error) {
	attrs := sftp.WithMode(uint32(mode))
	b := c.Batch()
	set, now := b.Lsetstat(path, attrs), lstat(b, path)
	if err := cmp.Or(b.Do(ctx), set.Err); !failed(err) && !errors.Is(err, errors.ErrUnsupported) {
		return now, err
	}
	return chmodOpened(ctx, c, path, now.attrs, attrs, set.Err)
}

// chmodOpened opens a file or directory and sets its mode if it is the object at the path:
// SFTP follows links when it opens, and another user may put a link at the path at any
// moment. It returns a [*host.TypeError] for a link, and refused for objects of other types and
// those that cannot be opened.
func chmodOpened(ctx context.Context, c *sftp.Client, path string, was *sftp.Reply[sftp.Attrs], attrs sftp.Attrs, refused error) (lstatReply, error) {
	if was.Err != nil {
		return lstatReply{}, was.Err
	}
	switch host.StatType(was.Value.Mode) {
	case host.TypeSymlink:
		return lstatReply{}, &host.TypeError{Got: host.TypeSymlink}
	case host.TypeRegular, host.TypeDirectory:
	default:
		return lstatReply{}, refused
	}
	file, err := c.Batch().Open(path, sftp.Read, sftp.Attrs{}).Do(ctx)
	if err != nil {
		return lstatReply{}, refused
	}
	defer file.Discard()
	b := c.Batch()
	opened, still := b.Fstat(file), b.Lstat(path)
	if err := cmp.Or(b.Do(ctx), opened.Err, still.Err); err != nil {
		return lstatReply{}, err
	}
	if !sameFile(was.Value, opened.Value) || !sameFile(opened.Value, still.Value) {
		return lstatReply{}, remotefs.ErrReplaced
	}
	b = c.Batch()
	set, now := b.Fsetstat(file, attrs), lstat(b, path)
	return now, cmp.Or(b.Do(ctx), set.Err)
}

// ownerOf returns the owner in attrs. The protocol sets user and group together, so an
// ID that attrs does not set is taken from is.
func ownerOf(attrs host.Attributes, is sftp.Attrs) sftp.Attrs {
	all := attrs.Or(mode(is), is.UID, is.GID)
	return sftp.WithOwner(*all.UID, *all.GID)
}

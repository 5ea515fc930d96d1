package sftpfs

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Remove implements [remotefs.Backend].
func (f *Files) Remove(ctx context.Context, path string) error {
	return f.removed(ctx, func(c *sftp.Client) error { return remove(ctx, c, path) })
}

func remove(ctx context.Context, c *sftp.Client, path string) error {
	b := c.Batch()
	removed, now := b.Remove(path), b.Lstat(path)
	if err := b.Do(ctx); err != nil {
		return err
	}
	if removed.Err != nil && now.Err == nil && fileType(now.Value) == host.TypeDirectory { // systems return different errors for unlink of a directory
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return explain(ctx, c, path, removed.Err)
}

// RemoveAll implements [remotefs.Backend].
func (f *Files) RemoveAll(ctx context.Context, paths []string) error {
	return f.again(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		for _, path := range paths {
			b.Remove(path)
		}
		return b.Do(ctx)
	})
}

// Rename implements [remotefs.Backend].
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	return f.once(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		from, at := b.Lstat(oldPath), b.Lstat(newPath)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if from.Err != nil {
			return &remotefs.OldPathError{Err: from.Err}
		}
		return rename(ctx, c, from.Value, oldPath, at, newPath)
	})
}

// rename is rename(2) with the same type errors for all servers.
func rename(ctx context.Context, c *sftp.Client, from sftp.Attrs, oldPath string, at *sftp.Reply[sftp.Attrs], newPath string) error {
	dir := fileType(from) == host.TypeDirectory
	if at.Err == nil {
		into := fileType(at.Value) == host.TypeDirectory
		if dir && !into {
			return wantType(at.Value, host.TypeDirectory)
		}
		if into && !dir {
			return &host.TypeError{Got: host.TypeDirectory}
		}
	} else if !isAbsent(at.Err) {
		return at.Err
	}
	_, err := c.Batch().PosixRename(oldPath, newPath).Do(ctx)
	if dir && at.Err == nil && failed(err) {
		err = filled(ctx, c, newPath, err)
	}
	return apart(ctx, c, oldPath, newPath, err)
}

package sftpfs

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Remove implements [host.Files].
func (f *Files) Remove(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		tidy := f.tidying(ctx, path)
		err = f.removed(ctx, func(c *sftp.Client) error { return remove(ctx, c, path) })
		tidy(err == nil || isAbsent(err))
	}
	return f.fail("remove", path, err)
}

func remove(ctx context.Context, c *sftp.Client, path string) error {
	b := c.Batch()
	removed, now := b.Remove(path), b.Lstat(path)
	if err := b.Do(ctx); err != nil {
		return err
	}
	if removed.Err != nil && now.Err == nil && fileType(now.Value) == host.TypeDirectory { // systems disagree on what unlink says of it
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return explain(ctx, c, path, removed.Err)
}

// RemoveTemp implements [host.Files].
func (f *Files) RemoveTemp(ctx context.Context, path string) error {
	err := begin(ctx, path)
	if err == nil {
		f.tidying(ctx, path)(true)
		err = ctx.Err()
	}
	return f.fail("remove the temporary file of", path, err)
}

// Rename implements [host.Files].
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return f.fail("rename", oldPath, err)
	}
	to := "rename " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return f.fail(to, newPath, err)
	}
	return f.fail(to, newPath, f.once(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		from, at := b.Lstat(oldPath), b.Lstat(newPath)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if from.Err != nil {
			return f.fail("rename", oldPath, from.Err)
		}
		if err := f.rename(ctx, c, from.Value, oldPath, at, newPath); err != nil {
			return err
		}
		f.left.moved(oldPath, newPath)
		return nil
	}))
}

// rename is rename(2), except that what it says of a type that does not fit is
// the same for all servers.
func (f *Files) rename(ctx context.Context, c *sftp.Client, from sftp.Attrs, oldPath string, at *sftp.Reply[sftp.Attrs], newPath string) error {
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

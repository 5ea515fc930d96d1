package sftpfs

import (
	"context"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

// Remove implements [remotefs.Backend].
func (f *Files) Remove(ctx context.Context, path string) error {
	return f.removeWithRetries(ctx, func(c *sftp.Client) error { return remove(ctx, c, path) })
}

func remove(ctx context.Context, c *sftp.Client, path string) error {
	b := c.Batch()
	removed, now := b.Remove(path), b.Lstat(path)
	if err := b.Do(ctx); err != nil {
		return err
	}
	if removed.Err != nil && now.Err == nil && host.StatType(now.Value.Mode) == host.TypeDirectory { // operating systems return different errors for unlink of a directory
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return explain(ctx, c, path, removed.Err)
}

// RemoveAll implements [remotefs.Backend].
func (f *Files) RemoveAll(ctx context.Context, paths []string) error {
	return f.withRetries(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		for _, path := range paths {
			b.Remove(path)
		}
		return b.Do(ctx)
	})
}

// Rename implements [remotefs.Backend].
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	return f.withSession(ctx, func(c *sftp.Client) error {
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

// rename renames like rename(2), but returns the same type errors for all servers.
func rename(ctx context.Context, c *sftp.Client, from sftp.Attrs, oldPath string, at *sftp.Reply[sftp.Attrs], newPath string) error {
	dir := host.StatType(from.Mode) == host.TypeDirectory
	if at.Err == nil {
		into := host.StatType(at.Value.Mode) == host.TypeDirectory
		if dir && !into {
			return host.StatType(at.Value.Mode).Want(host.TypeDirectory)
		}
		if into && !dir {
			return &host.TypeError{Got: host.TypeDirectory}
		}
	} else if !isAbsent(at.Err) {
		return at.Err
	}
	_, err := c.Batch().PosixRename(oldPath, newPath).Do(ctx)
	if dir && at.Err == nil && failed(err) {
		err = explainNotEmpty(ctx, c, newPath, err)
	}
	return explainCrossDevice(ctx, c, oldPath, newPath, err)
}

// Link implements [remotefs.Backend].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	return f.withSession(ctx, func(c *sftp.Client) error {
		is, err := c.Batch().Lstat(oldPath).Do(ctx)
		if err == nil {
			err = host.StatType(is.Mode).Want(host.TypeRegular)
		}
		if err != nil {
			return &remotefs.OldPathError{Err: err}
		}
		b := c.Batch()
		linked, at := b.Hardlink(oldPath, newPath), b.Lstat(newPath)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if linked.Err != nil && at.Err == nil {
			return fs.ErrExist
		}
		return explainCrossDevice(ctx, c, oldPath, newPath, linked.Err)
	})
}

// Symlink implements [remotefs.Backend].
func (f *Files) Symlink(ctx context.Context, target, path string) (info host.FileInfo, err error) {
	err = f.withSession(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		made, now := b.Symlink(target, path), lstat(b, path)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if made.Err != nil && now.attrs.Err == nil {
			return fs.ErrExist
		}
		if made.Err != nil {
			return explain(ctx, c, path, made.Err)
		}
		graceful, cancel := graceperiod.With(ctx, afterwards) // the link exists
		defer cancel()
		info, err = lstatInfo(graceful, c, path, now)
		return err
	})
	return info, err
}

// ReplaceSymlink implements [remotefs.Backend].
func (f *Files) ReplaceSymlink(ctx context.Context, target, temp, path string, was *string) (info host.FileInfo, gone bool, err error) {
	err = f.changeWithRetries(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		at, made, there := lstat(b, path), b.Symlink(target, temp), b.Readlink(temp)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if at.attrs.Err == nil || !isAbsent(at.attrs.Err) {
			if err := typed(at.attrs, host.TypeSymlink); err != nil {
				return err
			}
			kept, err := checkOldTarget(at, target, was)
			if kept {
				info = toInfo(at.attrs.Value)
				info.LinkTarget = target
			}
			if kept || err != nil {
				return err
			}
		}
		if made.Err != nil && (there.Err != nil || there.Value != target) { // the link may have been created before the session broke
			return explain(ctx, c, path, made.Err)
		}
		graceful, cancel := graceperiod.With(ctx, afterwards)
		defer cancel()
		b = c.Batch()
		renamed, now := b.PosixRename(temp, path), lstat(b, path)
		if err := b.Do(graceful); err != nil {
			return err
		}
		if renamed.Err != nil {
			return renameError(graceful, c, path, renamed.Err)
		}
		gone = true
		info, err = lstatInfo(graceful, c, path, now)
		return err
	})
	if !gone {
		undo := f.removeTemp(ctx, temp)
		gone = undo == nil
		if err != nil {
			err = joinUndo(err, undo)
		}
	}
	return info, gone, err
}

// checkOldTarget is [host.CheckOldTarget] for the replies about a link.
func checkOldTarget(at lstatReply, target string, was *string) (kept bool, err error) {
	if was != nil && at.target.Err != nil {
		return false, at.target.Err
	}
	return host.CheckOldTarget(at.target.Value, target, was)
}

// renameError returns the reason why a temporary file could not be renamed to path. If err matches
// [fs.ErrNotExist], the reason is [remotefs.ErrTempGone], unless the directory is gone.
func renameError(ctx context.Context, c *sftp.Client, path string, err error) error {
	if !isAbsent(err) {
		return explain(ctx, c, path, err)
	}
	if _, dir := c.Batch().Stat(parent(path)).Do(ctx); isAbsent(dir) {
		return err
	}
	return remotefs.ErrTempGone
}

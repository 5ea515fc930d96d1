package sftpfs

import (
	"cmp"
	"context"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Link implements [host.Files].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	if err := begin(ctx, oldPath); err != nil {
		return f.fail("link", oldPath, err)
	}
	to := "link " + host.QuotePath(oldPath) + " to"
	if err := begin(ctx, newPath); err != nil {
		return f.fail(to, newPath, err)
	}
	return f.fail(to, newPath, f.once(ctx, func(c *sftp.Client) error {
		is, err := c.Batch().Lstat(oldPath).Do(ctx)
		if err == nil {
			err = wantType(is, host.TypeRegular)
		}
		if err != nil {
			return f.fail("link", oldPath, err)
		}
		if err := link(ctx, c, oldPath, newPath); err != nil {
			return err
		}
		f.left.made(newPath)
		return nil
	}))
}

func link(ctx context.Context, c *sftp.Client, oldPath, newPath string) error {
	b := c.Batch()
	linked, at := b.Hardlink(oldPath, newPath), b.Lstat(newPath)
	if err := b.Do(ctx); err != nil {
		return err
	}
	if linked.Err != nil && at.Err == nil {
		return fs.ErrExist
	}
	return apart(ctx, c, oldPath, newPath, linked.Err)
}

// Symlink implements [host.Files].
func (f *Files) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	var info host.FileInfo
	err := cmp.Or(beginMake(ctx, path), host.CheckLinkTarget(target))
	if err == nil {
		err = f.once(ctx, func(c *sftp.Client) error {
			b := c.Batch()
			made, now := b.Symlink(target, path), look(b, path)
			if err := b.Do(ctx); err != nil {
				return err
			}
			if made.Err != nil && now.attrs.Err == nil {
				return fs.ErrExist
			}
			if made.Err != nil {
				return explain(ctx, c, path, made.Err)
			}
			var err error
			info, err = f.seen(context.WithoutCancel(ctx), c, path, now) // it is done: say so
			return err
		})
	}
	if err != nil {
		return host.FileInfo{}, f.fail("make link", path, err)
	}
	return info, nil
}

// ReplaceSymlink implements [host.Files].
func (f *Files) ReplaceSymlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	var info host.FileInfo
	err := cmp.Or(beginMake(ctx, path), host.CheckLinkTarget(target))
	if err == nil {
		tidy := f.tidying(ctx, path)
		info, err = f.replaceSymlink(ctx, target, path)
		tidy(err == nil)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("make link", path, err)
	}
	return info, nil
}

// replaceSymlink makes a link beside path and renames it.
func (f *Files) replaceSymlink(ctx context.Context, target, path string) (info host.FileInfo, err error) {
	release, err := f.locks.Lock(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer release()
	temp := host.TempPath(path, lease.New())
	f.left.begin(temp)
	placed := false
	defer func() { err = undone(err, f.end(ctx, temp, placed)) }()
	err = f.again(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		at, made, there := b.Lstat(path), b.Symlink(target, temp), b.Readlink(temp)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if at.Err == nil || !isAbsent(at.Err) {
			if err := typed(at, host.TypeSymlink); err != nil {
				return err
			}
		}
		if made.Err != nil && (there.Err != nil || there.Value != target) { // a session that broke may have made it
			return explain(ctx, c, path, made.Err)
		}
		lasting, cancel := remote.WithGracePeriod(ctx, afterwards)
		defer cancel()
		b = c.Batch()
		renamed, now := b.PosixRename(temp, path), look(b, path)
		if err := b.Do(lasting); err != nil {
			return err
		}
		if err := renamed.Err; err != nil {
			return misplaced(lasting, c, path, err)
		}
		placed = true
		info, err = f.seen(lasting, c, path, now)
		return err
	})
	return info, err
}

// misplaced says why a temporary file did not get its name. That it was not
// found says nothing about the path, unless the directory is gone.
func misplaced(ctx context.Context, c *sftp.Client, path string, err error) error {
	if !isAbsent(err) {
		return explain(ctx, c, path, err)
	}
	if _, dir := c.Batch().Stat(parent(path)).Do(ctx); isAbsent(dir) {
		return err
	}
	return errTaken
}

package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Mkdir implements [remotefs.Backend].
func (f *Files) Mkdir(ctx context.Context, path string, attrs host.Attributes) (info host.FileInfo, err error) {
	err = f.withSession(ctx, func(c *sftp.Client) error {
		b := c.Batch()
		made, now := b.Mkdir(path, firstMode(attrs)), lstat(b, path)
		if err := b.Do(ctx); err != nil {
			return err
		}
		if made.Err != nil {
			if now.attrs.Err == nil {
				return fs.ErrExist
			}
			return explain(ctx, c, path, made.Err)
		}
		if info, err = finishDir(ctx, c, path, now, attrs); err != nil {
			return joinUndo(err, undoDirs(ctx, c, path))
		}
		return nil
	})
	return info, err
}

// firstMode returns the mode to create a directory with: 0700 if its owner or group is to be set, and
// otherwise the permissions of the final mode. If the umask allows these and the final mode has no other
// bits, the directory has that mode from the start, so that a kill leaves no incomplete directory.
func firstMode(attrs host.Attributes) sftp.Attrs {
	if attrs.UID == nil && attrs.GID == nil {
		return sftp.WithMode(uint32(*attrs.Mode) & 0o777)
	}
	return sftp.WithMode(0o700)
}

// finishDir completes a directory that was just created.
func finishDir(ctx context.Context, c *sftp.Client, path string, now lstatReply, attrs host.Attributes) (host.FileInfo, error) {
	if err := typed(now.attrs, host.TypeDirectory); err != nil {
		return host.FileInfo{}, err
	}
	is := now.attrs.Value
	if mode(is) != *attrs.Mode || attrs.OtherOwner(is.UID, is.GID) {
		return setAttributes(ctx, c, path, is, attrs)
	}
	return lstatInfo(ctx, c, path, now)
}

// undoDirs removes directories that were just created, the last one first.
func undoDirs(ctx context.Context, c *sftp.Client, paths ...string) error {
	ctx, cancel := host.WithoutCancel(ctx, afterwards)
	defer cancel()
	b := c.Batch()
	for _, path := range slices.Backward(paths) {
		b.Rmdir(path)
	}
	return cmp.Or(b.Do(ctx), b.First())
}

// Rmdir implements [remotefs.Backend].
func (f *Files) Rmdir(ctx context.Context, path string) error {
	return f.removeWithRetries(ctx, func(c *sftp.Client) error { return rmdir(ctx, c, path) })
}

func rmdir(ctx context.Context, c *sftp.Client, path string) error {
	b := c.Batch()
	is, removed := b.Lstat(path), b.Rmdir(path) // rmdir fails for other types without an effect
	if err := b.Do(ctx); err != nil {
		return err
	}
	if removed.Err == nil {
		return nil
	}
	if err := typed(is, host.TypeDirectory); err != nil {
		return err
	}
	return explainNotEmpty(ctx, c, path, removed.Err)
}

// explainNotEmpty returns [host.ErrNotEmpty] if err gives no reason and the directory is not empty;
// otherwise it returns the result of [explain].
func explainNotEmpty(ctx context.Context, c *sftp.Client, path string, err error) error {
	if !failed(err) {
		return err
	}
	if entries, listErr := readDir(ctx, c, path); listErr == nil && len(entries) > 0 {
		return host.ErrNotEmpty
	}
	return explain(ctx, c, path, err)
}

// removeWithRetries calls remove and repeats it if a session breaks. An object that
// does not exist when remove is repeated counts as removed.
func (f *Files) removeWithRetries(ctx context.Context, remove func(c *sftp.Client) error) error {
	lost := false
	return f.changeWithRetries(ctx, func(c *sftp.Client) error {
		err := remove(c)
		if lost && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		lost = errors.Is(err, sftp.ErrClosed)
		return err
	})
}

// MakeDirs creates the directories, each the parent of the next, unless they exist. It
// returns those that it created, even with an error. An error about a directory is a
// [*remotefs.DirError].
func (f *Files) MakeDirs(ctx context.Context, dirs []string, attrs host.Attributes) (made []string, err error) {
	err = f.withSession(ctx, func(c *sftp.Client) (err error) {
		made, err = makeDirs(ctx, c, dirs, attrs)
		return err
	})
	return made, err
}

// makeDirs creates all directories, usually in one round trip; existing ones are not changed. A
// directory that could not be created inside an incomplete new one is tried again once its
// parent is complete.
func makeDirs(ctx context.Context, c *sftp.Client, dirs []string, attrs host.Attributes) (made []string, err error) {
	for len(dirs) > 0 {
		n, more, err := makeDirsOnce(ctx, c, dirs, attrs)
		made = append(made, more...)
		if err != nil && len(more) == 0 || n == len(dirs) {
			return made, err
		}
		dirs = dirs[n:]
	}
	return made, nil
}

// makeDirsOnce tries to create all directories once. It returns those that it created, and the
// index of the first that may be tried again, or len(dirs).
func makeDirsOnce(ctx context.Context, c *sftp.Client, dirs []string, attrs host.Attributes) (n int, made []string, err error) {
	type level struct {
		made *sftp.Reply[sftp.None]
		now  lstatReply
	}
	b := c.Batch()
	levels := make([]level, len(dirs))
	for i, dir := range dirs {
		levels[i] = level{b.Mkdir(dir, firstMode(attrs)), lstat(b, dir)}
	}
	if err := b.Do(ctx); err != nil {
		return 0, nil, err
	}
	for i, l := range levels {
		switch {
		case l.made.Err != nil && l.now.attrs.Err != nil:
			return i, made, &remotefs.DirError{Dir: dirs[i], Err: explain(ctx, c, dirs[i], l.made.Err)}
		case l.made.Err != nil: // the path exists; if it is not a directory, the next level fails
			continue
		}
		if _, err := finishDir(ctx, c, dirs[i], l.now, attrs); err != nil {
			var rest []string
			for j := i; j < len(levels); j++ {
				if levels[j].made.Err == nil {
					rest = append(rest, dirs[j])
				}
			}
			return len(dirs), made, &remotefs.DirError{Dir: dirs[i], Err: joinUndo(err, undoDirs(ctx, c, rest...))}
		}
		made = append(made, dirs[i])
	}
	return len(dirs), made, nil
}

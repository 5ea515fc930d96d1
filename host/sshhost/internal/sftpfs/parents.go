package sftpfs

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// MakeDirs creates the directories, each the parent of the next, unless they exist. It
// returns those that it created. Its error is a [*remotefs.DirError].
func (f *Files) MakeDirs(ctx context.Context, dirs []string, attrs host.Attributes) (made []string, err error) {
	err = f.once(ctx, func(c *sftp.Client) (err error) {
		made, err = makeDirs(ctx, c, dirs, attrs)
		return err
	})
	return made, err
}

// makeDirs creates all directories in one round trip; existing ones are not changed. A
// directory that could not be created inside an incomplete new one is tried again once that
// is complete.
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

// makeDirsOnce returns how many of the directories exist now, and which it created.
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
		case l.made.Err != nil: // it exists; if it is not a directory, the next level fails
			continue
		}
		if _, err := finishDir(ctx, c, dirs[i], l.now, attrs); err != nil {
			var rest []string
			for j := i; j < len(levels); j++ {
				if levels[j].made.Err == nil {
					rest = append(rest, dirs[j])
				}
			}
			return len(dirs), made, &remotefs.DirError{Dir: dirs[i], Err: undone(err, undoDirs(ctx, c, rest...))}
		}
		made = append(made, dirs[i])
	}
	return len(dirs), made, nil
}

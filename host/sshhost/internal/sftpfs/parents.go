package sftpfs

import (
	"context"
	"path"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

var _ host.ParentMaker = (*Files)(nil)

// MakeParents implements [host.ParentMaker].
func (f *Files) MakeParents(ctx context.Context, target string, attrs host.Attributes) (made []string, err error) {
	err = begin(ctx, target)
	if err == nil {
		err = attrs.Check()
	}
	if err != nil {
		return nil, f.fail("make parents of", target, err)
	}
	var dirs []string
	for dir := path.Dir(target); dir != "/"; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs) // the outermost first
	if len(dirs) == 0 {
		return nil, nil
	}
	err = f.once(ctx, func(c *sftp.Client) (err error) {
		made, err = f.makeDirs(ctx, c, dirs, usualMode(attrs))
		return err
	})
	return made, f.fail("make parents of", target, err)
}

// makeDirs asks for all directories in one round trip, as those that are there
// are not harmed by it. Where one could not be made within another that was new,
// it may be possible once that is finished.
func (f *Files) makeDirs(ctx context.Context, c *sftp.Client, dirs []string, attrs host.Attributes) (made []string, err error) {
	for len(dirs) > 0 {
		n, more, err := f.makeDirsOnce(ctx, c, dirs, attrs)
		made = append(made, more...)
		if err != nil && len(more) == 0 || n == len(dirs) {
			return made, err
		}
		dirs = dirs[n:]
	}
	return made, nil
}

// makeDirsOnce says how many of the directories are there now, and which it made.
func (f *Files) makeDirsOnce(ctx context.Context, c *sftp.Client, dirs []string, attrs host.Attributes) (n int, made []string, err error) {
	type level struct {
		made *sftp.Reply[sftp.None]
		now  sight
	}
	b := c.Batch()
	levels := make([]level, len(dirs))
	for i, dir := range dirs {
		levels[i] = level{b.Mkdir(dir, firstMode(attrs)), look(b, dir)}
	}
	if err := b.Do(ctx); err != nil {
		return 0, nil, err
	}
	for i, l := range levels {
		switch {
		case l.made.Err != nil && l.now.attrs.Err != nil:
			return i, made, f.fail("make directory", dirs[i], explain(ctx, c, dirs[i], l.made.Err))
		case l.made.Err != nil: // it was there; the next level says so where it is no directory
			continue
		}
		if _, err := f.finishDir(ctx, c, dirs[i], l.now, attrs); err != nil {
			var rest []string
			for j := i; j < len(levels); j++ {
				if levels[j].made.Err == nil {
					rest = append(rest, dirs[j])
				}
			}
			return len(dirs), made, f.fail("make directory", dirs[i], undone(err, undoDirs(ctx, c, rest...)))
		}
		made = append(made, dirs[i])
	}
	return len(dirs), made, nil
}

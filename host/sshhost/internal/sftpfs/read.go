package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Open implements [remotefs.Backend].
func (f *Files) Open(ctx context.Context, path string) (info host.FileInfo, _ io.ReadCloser, err error) {
	r := &reader{files: f, ctx: ctx, path: path}
	err = retry(ctx, func() (err error) {
		info, err = r.open()
		return err
	})
	if err != nil {
		return host.FileInfo{}, nil, err
	}
	return info, r, nil
}

// open opens the object at the path, and never the target of a link: SFTP follows links, and
// another user may put a link at the path at any moment.
func (f *Files) open(ctx context.Context, c *sftp.Client, path string, offset uint64) (sftp.Attrs, *sftp.Reader, error) {
	for range remotefs.OpenAttempts {
		is, content, err := f.openOnce(ctx, c, path, offset)
		if content != nil || err != nil {
			return is, content, err
		}
	}
	return sftp.Attrs{}, nil, remotefs.ErrReplaced
}

// openOnce checks the type before it opens the file, because opening a device can have
// side effects, and opening a named pipe would block the whole session. It checks again
// afterwards, and returns a nil reader if the file was replaced. The last lstat follows the fstat: otherwise a
// link to a larger and newer file that was at the path only during the open would look like a file that
// grows.
func (f *Files) openOnce(ctx context.Context, c *sftp.Client, path string, offset uint64) (sftp.Attrs, *sftp.Reader, error) {
	before, err := c.Batch().Lstat(path).Do(ctx)
	if err == nil {
		err = host.StatType(before.Mode).Want(host.TypeRegular)
	}
	if err != nil {
		return sftp.Attrs{}, nil, err
	}
	b := c.Batch()
	open, after := b.Open(path, sftp.Read, sftp.Attrs{}), b.Lstat(path)
	err = b.Do(ctx)
	file := open.Value
	if err == nil {
		err = cmp.Or(open.Err, typed(after, host.TypeRegular))
	}
	if err != nil {
		discard(file)
		return sftp.Attrs{}, nil, err
	}
	b = c.Batch()
	is, last := b.Fstat(file), b.Lstat(path)
	if err := b.Start(ctx); err != nil {
		file.Discard()
		return sftp.Attrs{}, nil, err
	}
	content := c.NewReader(ctx, file, offset, after.Value.Size) // in the same round trip
	err = cmp.Or(b.Wait(ctx), is.Err, last.Err)
	if err == nil && grown(before, after.Value) && grown(after.Value, is.Value) && grown(is.Value, last.Value) {
		return is.Value, content, nil
	}
	return sftp.Attrs{}, nil, errors.Join(err, content.Close())
}

// grown reports whether two results can be of the same file, to which a program may be
// appending. SFTP does not return inodes.
func grown(before, after sftp.Attrs) bool {
	return before.Mode == after.Mode && before.UID == after.UID && before.GID == after.GID &&
		before.Size <= after.Size && before.MTime <= after.MTime
}

func discard(file *sftp.File) {
	if file != nil {
		file.Discard()
	}
}

// ReadDir implements [remotefs.Backend].
func (f *Files) ReadDir(ctx context.Context, path string) (entries []host.DirEntry, err error) {
	err = f.withRetries(ctx, func(c *sftp.Client) (err error) {
		entries, err = readDir(ctx, c, path)
		return err
	})
	return entries, err
}

// Leftovers implements [remotefs.Finder] by listing the directory.
func (f *Files) Leftovers(ctx context.Context, dir string) (names []string, err error) {
	err = f.withRetries(ctx, func(c *sftp.Client) error {
		names = nil
		b := c.Batch()
		open := b.OpenDir(dir)
		if err := b.Do(ctx); err != nil || open.Err != nil {
			discard(open.Value)
			return errors.Join(err, open.Err)
		}
		for entry, err := range c.List(ctx, open.Value) {
			if err != nil {
				return err
			}
			if host.IsTempPath(entry.Name) {
				names = append(names, entry.Name)
			}
		}
		return nil
	})
	return names, err
}

func readDir(ctx context.Context, c *sftp.Client, path string) ([]host.DirEntry, error) {
	b := c.Batch()
	is, open := b.Lstat(path), b.OpenDir(path)
	err := b.Do(ctx)
	if err == nil {
		err = cmp.Or(typed(is, host.TypeDirectory), open.Err)
	}
	if err != nil {
		discard(open.Value)
		return nil, err
	}
	entries := []host.DirEntry{}
	whole := false
	for entry, err := range c.List(ctx, open.Value) {
		if err != nil {
			return nil, err
		}
		switch entry.Name {
		case ".":
			whole = true
		case "..":
		default:
			entries = append(entries, host.DirEntry{Name: entry.Name, Type: host.StatType(entry.Attrs.Mode)})
		}
	}
	if !whole {
		// OpenSSH omits entries that it cannot stat: all of them if the directory may be
		// read but not entered.
		if _, err := c.Batch().Lstat(path + "/.").Do(ctx); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// reader is an open file. If its session breaks, the reader opens the file again in another session
// and continues at offset.
type reader struct {
	files *Files
	ctx   context.Context //nolint:containedctx // the reader is a part of the call that began it
	path  string

	closed  bool
	offset  uint64      // offset of the next read
	is      *sftp.Attrs // attributes of the file when it was first opened; nil before
	content *sftp.Reader
	release func() // nil if there is no session and no content
}

var errReplaced = errors.New("the SFTP session was lost while the file was being read, and the file has changed since, so the rest cannot be read: run the plan or apply again")

// open opens the file. If the file was open before and has changed since or is missing, the error is
// errReplaced.
func (r *reader) open() (info host.FileInfo, err error) {
	s, err := r.files.sessions.SFTP(r.ctx)
	if err != nil {
		return info, err
	}
	is, content, err := r.files.open(r.ctx, s.Client, r.path, r.offset)
	if err != nil {
		s.Release()
		if r.is != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, host.ErrNotRegular)) {
			err = errReplaced
		}
		return info, err
	}
	r.content, r.release = content, s.Release
	if r.is == nil {
		r.is = &is
	} else if !sameFile(is, *r.is) {
		return info, errors.Join(errReplaced, r.drop())
	}
	return toInfo(is), nil
}

// drop closes the file and releases the session, if there is one.
func (r *reader) drop() error {
	if r.release == nil {
		return nil
	}
	err := r.content.Close()
	r.release()
	r.content, r.release = nil, nil
	return err
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	var n int
	err := retry(r.ctx, func() (err error) {
		if r.content == nil {
			if _, err = r.open(); err != nil {
				return err
			}
		}
		if n, err = r.content.Read(p); sessionLost(r.ctx, err) {
			_ = r.drop() // the session is lost
		}
		return err
	})
	r.offset += uint64(n) //nolint:gosec // not negative
	return n, err
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	r.closed = true
	return r.drop()
}

package remotefs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
)

// Write is a file to be written by a [Backend].
type Write struct {
	Path    string
	Content *Source
	Options host.WriteOptions

	files  *Files
	placed bool
}

// WriteFile implements [host.Files].
func (f *Files) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	const op = "write"
	if err := f.checkNew(ctx, path); err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	return f.changeObject(ctx, op, path, opts.Attributes, func() (host.FileInfo, error) {
		release, err := f.locks.Lock(ctx, path)
		if err != nil {
			return host.FileInfo{}, err
		}
		defer release()
		w := &Write{Path: path, Content: newSource(ctx, content), Options: opts, files: f}
		tidy := f.tidying(ctx, path)
		defer func() { tidy(w.placed) }()
		info, err := f.backend.WriteFile(ctx, w)
		if err == nil {
			f.recordClock(info.ModTime)
		}
		return info, err
	})
}

// Editor is a [Backend] that can edit a file in one step: see [host.Editor]. The error of EditFile
// may match [errors.ErrUnsupported].
type Editor interface {
	EditFile(ctx context.Context, w *Write, edit host.Edit) (info host.FileInfo, now []byte, err error)
}

// EditFile implements [host.Editor].
func (f *Files) EditFile(ctx context.Context, path string, edit host.Edit, attrs host.Attributes) (info host.FileInfo, now []byte, err error) {
	const op = "write"
	editor, ok := f.backend.(Editor)
	if !ok { // before a check that may send a request
		return host.FileInfo{}, nil, f.fail(op, path, errors.ErrUnsupported)
	}
	if err := f.checkNew(ctx, path); err != nil {
		return host.FileInfo{}, nil, f.fail(op, path, err)
	}
	info, err = f.changeObject(ctx, op, path, attrs, func() (info host.FileInfo, err error) {
		release, err := f.locks.Lock(ctx, path)
		if err != nil {
			return host.FileInfo{}, err
		}
		defer release()
		w := &Write{Path: path, Options: host.WriteOptions{Attributes: attrs}, files: f}
		tidy := f.tidying(ctx, path)
		defer func() { tidy(w.placed) }()
		info, now, err = editor.EditFile(ctx, w, edit)
		return info, err
	})
	return info, now, err
}

// newTemp returns the path of a new temporary file for target. The file does not count as a leftover
// until end is called for it.
func (f *Files) newTemp(target string) string {
	temp := host.TempPath(target, lease.New())
	f.left.begin(temp)
	return temp
}

// NewTemp returns a new path for the temporary file. The caller must call EndTemp for it.
func (w *Write) NewTemp() string { return w.files.newTemp(w.Path) }

// EndTemp records that the temporary file is no longer being written, and whether it is gone.
func (w *Write) EndTemp(temp string, gone bool) { w.files.left.end(temp, gone) }

// Placed records that the temporary file has been renamed to Path.
func (w *Write) Placed() { w.placed = true }

// Attributes returns the attributes of the new file, given the result of Lstat for the
// path, or the reason why the file may not be written. The rename makes the final check.
func (w *Write) Attributes(at host.FileInfo, err error) (host.Attributes, error) {
	attrs := w.Options.Attributes
	switch {
	case errors.Is(err, fs.ErrNotExist): // if the directory is missing, creating the temporary file fails
		attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o600)))
		return attrs, nil
	case err != nil:
		return attrs, err
	case w.Options.Exclusive:
		return attrs, fs.ErrExist
	}
	attrs = attrs.Or(at.Mode, at.UID, at.GID)
	if err := at.Type.Want(host.TypeRegular); err != nil {
		return attrs, err
	}
	return attrs, w.Options.CheckUnchanged(at)
}

// BeforeReplace calls the caller's hook, if any. An error is a [*host.SourceError].
func (w *Write) BeforeReplace(ctx context.Context, temp string) error {
	if w.Options.BeforeReplace == nil {
		return nil
	}
	if err := w.Options.BeforeReplace(ctx, temp); err != nil {
		return &host.SourceError{Source: "before replace", Err: err}
	}
	return nil
}

// Source is the content to write. Errors of the content are [*host.SourceError].
type Source struct {
	ctx    context.Context //nolint:containedctx // the content is read within one call
	r      io.Reader
	peeked []byte // the beginning of the content, already read from r
	at     int    // number of bytes of peeked that were returned
	ended  bool   // peeked is all of the content
	begun  bool
	idle   int       // number of empty reads in a row
	seeker io.Seeker // nil if the content cannot be read again
	start  int64
}

// newSource returns the content of one call.
func newSource(ctx context.Context, r io.Reader) *Source {
	s := &Source{ctx: ctx, r: r}
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.start = seeker, start
		}
	}
	return s
}

// Peek returns the content and true if it has at most limit bytes, else the first limit+1 bytes and
// false. It must be called first, and does not change what Read returns.
func (s *Source) Peek(limit int) (content []byte, all bool, err error) {
	s.peeked, err = io.ReadAll(io.LimitReader(s, int64(limit)+1))
	s.ended = err == nil && len(s.peeked) <= limit
	return s.peeked, s.ended, err
}

// Read implements [io.Reader]. It fails once the context of the call is done.
func (s *Source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.at < len(s.peeked) {
		n := copy(p, s.peeked[s.at:])
		s.at += n
		return n, nil
	}
	if s.ended {
		return 0, io.EOF
	}
	s.begun = true
	n, err := s.r.Read(p)
	if s.idle++; n > 0 {
		s.idle = 0
	} else if s.idle > 100 && err == nil {
		err = io.ErrNoProgress
	}
	if err != nil && err != io.EOF {
		err = &host.SourceError{Source: "content", Err: err}
	}
	return n, err
}

// Rewind goes back to the beginning and reports whether that succeeded.
func (s *Source) Rewind() bool {
	if !s.begun || s.ended {
		s.at = 0
		return true
	}
	if s.seeker == nil {
		return false
	}
	s.begun, s.idle, s.peeked = false, 0, nil
	_, err := s.seeker.Seek(s.start, io.SeekStart)
	return err == nil
}

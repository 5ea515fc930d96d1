package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// WriteFile implements [host.Files].
func (f *Files) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	w := &writing{files: f, path: path, opts: opts, content: newSource(ctx, content)}
	err := cmp.Or(beginMake(ctx, path), opts.Attributes.Check())
	if err == nil {
		err = w.run(ctx)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("write", path, err)
	}
	return w.info, nil
}

// writing is one write, from nothing to a file that has its name.
type writing struct {
	files   *Files
	path    string
	opts    host.WriteOptions
	content *source

	temp    string
	opened  *sftp.File // nil unless it is open
	made    bool       // the temporary file may be there
	built   bool       // it is complete
	placing bool       // it may have its name
	placed  bool
	at      *sftp.Reply[sftp.Attrs] // what was at path, as last seen; nil when it is to be looked at
	is      sftp.Attrs              // the complete file
	info    host.FileInfo
}

// run writes, and undoes what it did when it can not end: also when the
// caller's reader or hook panics.
func (w *writing) run(ctx context.Context) (err error) {
	f := w.files
	release, err := f.locks.Lock(ctx, w.path)
	if err != nil {
		return err
	}
	defer release()
	tidy := f.tidying(ctx, w.path)
	defer func() { tidy(w.placed) }()
	defer func() { err = undone(err, w.undo(ctx)) }()
	for attempt := 1; ; attempt++ {
		if err = w.attempt(ctx); err == nil || attempt == attempts || !w.repeats(ctx, err) {
			return err
		}
	}
}

// repeats prepares another attempt after one whose session broke, if there can
// be one: the file is complete, or its content can be had again.
func (w *writing) repeats(ctx context.Context, err error) bool {
	var source *host.SourceError // a session that the caller uses may break as well
	if !broke(ctx, err) || errors.As(err, &source) {
		return false
	}
	if w.built {
		return true
	}
	if !w.content.rewind() {
		return false
	}
	// What was begun is left over: the next attempt removes it when it has gone well.
	// To do so before could take longer than there is time for undoing, until there
	// is a connection again.
	if temp, gone := w.leave(); temp != "" {
		w.files.left.end(temp, gone)
	}
	return true
}

func (w *writing) attempt(ctx context.Context) error {
	f := w.files
	if w.built {
		w.at = nil
		return f.once(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
	}
	w.temp = host.TempPath(w.path, lease.New())
	f.left.begin(w.temp)
	err := f.once(ctx, func(c *sftp.Client) error {
		if err := w.build(ctx, c); err != nil || w.opts.BeforeReplace != nil {
			return err
		}
		return w.place(ctx, c)
	})
	if err != nil || w.opts.BeforeReplace == nil {
		return err
	}
	w.at = nil
	if err := w.opts.BeforeReplace(ctx, w.temp); err != nil {
		return &host.SourceError{Source: "before replace", Err: err}
	}
	return f.once(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
}

// undo removes the temporary file, unless it has its name. What it can not
// remove is remembered for the next operation on the path.
func (w *writing) undo(ctx context.Context) error {
	temp, gone := w.leave()
	if temp == "" {
		return nil
	}
	return w.files.end(ctx, temp, gone)
}

// leave has no temporary file any more, and answers that which it had, if any,
// and whether that is gone.
func (w *writing) leave() (temp string, gone bool) {
	discard(w.opened)
	temp, gone = w.temp, w.placed || !w.made
	w.opened, w.temp, w.made = nil, "", false
	return temp, gone
}

// end is the end of a temporary file, which is removed unless it is gone.
func (f *Files) end(ctx context.Context, temp string, gone bool) error {
	var err error
	if !gone {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
		defer cancel()
		err = f.once(ctx, func(c *sftp.Client) error {
			_, err := c.Batch().Remove(temp).Do(ctx)
			if isAbsent(err) {
				return nil
			}
			return err
		})
	}
	f.left.end(temp, err == nil)
	return err
}

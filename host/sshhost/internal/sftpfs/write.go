package sftpfs

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// writing is the state of one write.
type writing struct {
	*remotefs.Write
	files *Files

	temp    string
	opened  *sftp.File // nil unless open
	made    bool       // the temporary file may exist
	built   bool       // it is complete
	placing bool       // it may have its name
	placed  bool
	at      *sftp.Reply[sftp.Attrs] // the last lstat of the path; nil if it must be repeated
	is      sftp.Attrs              // attributes of the complete file
}

// WriteFile implements [remotefs.Backend]. It removes its temporary file if it fails, also
// if the caller's reader or hook panics.
func (f *Files) WriteFile(ctx context.Context, job *remotefs.Write) (info host.FileInfo, err error) {
	w := &writing{Write: job, files: f}
	defer func() { err = undone(err, w.undo(ctx)) }()
	for attempt := 1; ; attempt++ {
		if err = w.attempt(ctx); err == nil {
			return toInfo(w.is), nil
		}
		if attempt == attempts || !w.repeats(ctx, err) {
			return host.FileInfo{}, err
		}
	}
}

// repeats prepares another attempt after a session broke, and reports whether it is
// possible: the file is complete, or its content can be read again.
func (w *writing) repeats(ctx context.Context, err error) bool {
	var source *host.SourceError // a session that the caller uses may break as well
	if !broke(ctx, err) || errors.As(err, &source) {
		return false
	}
	if w.built {
		return true
	}
	if !w.Content.Rewind() {
		return false
	}
	// The temporary file becomes a leftover: the next attempt removes it after it
	// succeeded. Removing it first could take too long until there is a connection again.
	if temp, gone := w.detach(); temp != "" {
		w.EndTemp(temp, gone)
	}
	return true
}

func (w *writing) attempt(ctx context.Context) error {
	f := w.files
	if w.built {
		w.at = nil
		return f.once(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
	}
	w.temp = w.NewTemp()
	err := f.once(ctx, func(c *sftp.Client) error {
		if err := w.build(ctx, c); err != nil || w.Options.BeforeReplace != nil {
			return err
		}
		return w.place(ctx, c)
	})
	if err != nil || w.Options.BeforeReplace == nil {
		return err
	}
	w.at = nil
	if err := w.BeforeReplace(ctx, w.temp); err != nil {
		return err
	}
	return f.once(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
}

// undo removes the temporary file, unless it was renamed.
func (w *writing) undo(ctx context.Context) (err error) {
	temp, gone := w.detach()
	if temp == "" {
		return nil
	}
	if !gone {
		err = w.files.removeTemp(ctx, temp)
	}
	w.EndTemp(temp, err == nil)
	return err
}

// detach forgets the temporary file and returns its path, or "" if there is none, and
// whether it is gone.
func (w *writing) detach() (temp string, gone bool) {
	discard(w.opened)
	temp, gone = w.temp, w.placed || !w.made
	w.opened, w.temp, w.made = nil, "", false
	return temp, gone
}

// removeTemp removes a temporary file, if it exists.
func (f *Files) removeTemp(ctx context.Context, temp string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	return f.once(ctx, func(c *sftp.Client) error {
		_, err := c.Batch().Remove(temp).Do(ctx)
		if isAbsent(err) {
			return nil
		}
		return err
	})
}

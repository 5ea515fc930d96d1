package sftpfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

// writing is the state of one write.
type writing struct {
	*remotefs.Write
	files *Files

	temp    string
	opened  *sftp.File // the temporary file, which may be closed again; nil before it is opened
	made    bool       // the temporary file may exist
	built   bool       // the temporary file is complete
	placing bool       // the file may have been renamed
	placed  bool
	at      *sftp.Reply[sftp.Attrs] // the last lstat of the path; nil if it must be repeated
	is      sftp.Attrs              // attributes of the complete file
	left    string                  // the last temporary file that was not removed
}

// WriteFile implements [remotefs.Backend]. If it fails, or the caller's reader or hook panics, it
// tries to remove its temporary file.
func (f *Files) WriteFile(ctx context.Context, job *remotefs.Write) (info host.FileInfo, err error) {
	w := &writing{Write: job, files: f}
	var lost error // the error of the last broken session
	defer func() {
		undo := w.undo(ctx)
		err = joinUndo(remotefs.AfterLoss(lost, err), undo)
		if w.left != "" && errors.Is(err, sftp.ErrClosed) {
			err = fmt.Errorf("%w. The temporary file %s may be left behind", err, host.QuotePath(w.left))
		}
	}()
	for attempt := 1; ; attempt++ {
		if err = w.attempt(ctx); err == nil {
			return toInfo(w.is), nil
		}
		if attempt == attempts || !w.repeats(ctx, err) {
			return host.FileInfo{}, err
		}
		lost = err
	}
}

// repeats prepares another attempt after a session broke, and reports whether that
// attempt is possible: the file is complete, or its content can be read again.
func (w *writing) repeats(ctx context.Context, err error) bool {
	var source *host.SourceError // the content or hook may return the error of another session
	if !sessionLost(ctx, err) || errors.As(err, &source) {
		return false
	}
	if w.built {
		return true
	}
	if !w.Content.Rewind() {
		return false
	}
	// The temporary file becomes a leftover, which is removed after an attempt has
	// succeeded. Removing the file first would have to wait until there is a connection again.
	if temp, gone := w.detach(); temp != "" {
		w.endTemp(temp, gone)
	}
	return true
}

func (w *writing) attempt(ctx context.Context) error {
	f := w.files
	if w.built {
		w.at = nil
		return f.withSession(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
	}
	w.temp = w.NewTemp()
	err := f.withSession(ctx, func(c *sftp.Client) error {
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
	return f.withSession(ctx, func(c *sftp.Client) error { return w.place(ctx, c) })
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
	w.endTemp(temp, err == nil)
	return err
}

// endTemp records that a temporary file is no longer written, and whether it is gone.
func (w *writing) endTemp(temp string, gone bool) {
	if !gone {
		w.left = temp
	}
	w.EndTemp(temp, gone)
}

// detach closes and forgets the temporary file. It returns the path, or "" if there is no such file,
// and whether the file is gone.
func (w *writing) detach() (temp string, gone bool) {
	discard(w.opened)
	temp, gone = w.temp, w.placed || !w.made
	w.opened, w.temp, w.made = nil, "", false
	return temp, gone
}

// removeTemp removes a temporary file, if it exists.
func (f *Files) removeTemp(ctx context.Context, temp string) error {
	ctx, cancel := host.WithoutCancel(ctx, afterwards)
	defer cancel()
	return f.withSession(ctx, func(c *sftp.Client) error {
		_, err := c.Batch().Remove(temp).Do(ctx)
		if isAbsent(err) {
			return nil
		}
		return err
	})
}

// build creates the temporary file and completes it.
func (w *writing) build(ctx context.Context, c *sftp.Client) error {
	b := c.Batch()
	w.at = b.Lstat(w.Path)
	open := b.Open(w.temp, sftp.Write|sftp.Create|sftp.Excl, sftp.WithMode(0o600))
	temp := b.Lstat(w.temp)
	w.made = true
	sent := b.Do(ctx)
	w.opened = open.Value
	if sent != nil {
		return sent
	}
	w.made = open.Err == nil
	attrs, err := w.attributes()
	if err != nil {
		return err
	}
	if open.Err != nil {
		return explain(ctx, c, w.Path, open.Err)
	}
	if temp.Err != nil {
		return temp.Err
	}
	if mode(temp.Value) != 0o600 { // a umask that denies the owner, or a server that ignores the mode
		if _, err := c.Batch().Fsetstat(w.opened, sftp.WithMode(0o600)).Do(ctx); err != nil {
			return err
		}
	}
	if err := w.fill(ctx, c, attrs, temp.Value); err != nil {
		return err
	}
	w.built = true
	return nil
}

// attributes returns the attributes of the new file, or the reason why it may not be
// written.
func (w *writing) attributes() (host.Attributes, error) {
	return w.Attributes(toInfo(w.at.Value), w.at.Err)
}

// modeApart reports whether the mode must be set after a successful change of owner. Until
// then the file has the user and group with which it was created: it must not be setuid or
// setgid for them, and the mode must not grant permissions to the wrong group.
func modeApart(created sftp.Attrs, attrs host.Attributes) bool {
	mode := *attrs.Mode
	owner, group := attrs.OtherUser(created.UID), attrs.OtherGroup(created.GID)
	return (owner || group) && mode&(host.ModeSetuid|host.ModeSetgid) != 0 || group && mode>>3&7 != mode&7
}

// fill completes the temporary file and closes it. Once it is synced and closed, no write
// error can be pending.
func (w *writing) fill(ctx context.Context, c *sftp.Client, attrs host.Attributes, created sftp.Attrs) error {
	b := c.Batch()
	content := b.WriteFrom(w.opened, w.Content)
	var owner *sftp.Reply[sftp.None]
	if attrs.OtherOwner(created.UID, created.GID) {
		owner = b.Fsetstat(w.opened, ownerOf(attrs, created))
	}
	var done completion
	apart := modeApart(created, attrs)
	if !apart {
		done = w.complete(b, *attrs.Mode)
	}
	if err := b.Do(ctx); err != nil {
		return err
	}
	if content.Err != nil {
		return explain(ctx, c, w.Path, content.Err)
	}
	if owner != nil && owner.Err != nil {
		return attrs.OwnerError(cause(explain(ctx, c, w.Path, owner.Err)))
	}
	if apart {
		b = c.Batch()
		done = w.complete(b, *attrs.Mode)
		if err := b.Do(ctx); err != nil {
			return err
		}
	}
	if err := done.first(); err != nil {
		return explain(ctx, c, w.Path, err)
	}
	w.at, w.is = done.at, done.is.Value
	return attrs.Accepted(mode(w.is), w.is.UID, w.is.GID)
}

// completion is the set of replies to the last requests of a file.
type completion struct {
	mode, sync, closed *sftp.Reply[sftp.None]
	is, at             *sftp.Reply[sftp.Attrs]
}

// complete adds the requests that follow content and owner.
func (w *writing) complete(b *sftp.Batch, mode host.Mode) completion {
	var done completion
	if mode != 0o600 {
		done.mode = b.Fsetstat(w.opened, sftp.WithMode(uint32(mode)))
	}
	if !w.Options.NoSync {
		done.sync = b.Fsync(w.opened)
	}
	done.is, done.closed = b.Fstat(w.opened), b.Close(w.opened)
	if w.Options.BeforeReplace == nil {
		done.at = b.Lstat(w.Path)
	}
	return done
}

func (d completion) first() error {
	for _, r := range []*sftp.Reply[sftp.None]{d.mode, d.sync, d.closed} {
		if r != nil && r.Err != nil {
			return r.Err
		}
	}
	return d.is.Err
}

// place renames the file. It checks the path first if the last check was long ago, and
// after an attempt with an unknown outcome determines that outcome.
func (w *writing) place(ctx context.Context, c *sftp.Client) error {
	if w.at == nil {
		b := c.Batch()
		w.at = b.Lstat(w.Path)
		temp := b.Lstat(w.temp)
		if err := b.Do(ctx); err != nil {
			w.at = nil
			return err
		}
		if w.placing && w.at.Err == nil && sameFile(w.at.Value, w.is) {
			if isAbsent(temp.Err) {
				w.setPlaced()
				return nil
			}
			if w.Options.Exclusive && temp.Err == nil && sameFile(temp.Value, w.is) {
				if err := w.finishRename(ctx, c, temp.Value); w.placed || err != nil {
					return err
				}
			}
		}
	}
	if _, err := w.attributes(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := graceperiod.With(ctx, afterwards)
	defer cancel()
	b := c.Batch()
	var renamed *sftp.Reply[sftp.None]
	if w.Options.Exclusive {
		renamed = b.Rename(w.temp, w.Path) // fails if the path exists
	} else {
		renamed = b.PosixRename(w.temp, w.Path)
	}
	w.placing = true
	if err := b.Do(ctx); err != nil {
		return err
	}
	err := renamed.Err
	if err == nil {
		w.setPlaced()
		return nil
	}
	b = c.Batch()
	w.at = b.Lstat(w.Path)
	if err := b.Do(ctx); err != nil {
		return err
	}
	if _, refused := w.attributes(); failed(err) && refused != nil {
		err = refused
	}
	return renameError(ctx, c, w.Path, err)
}

// setPlaced records that the file was renamed.
func (w *writing) setPlaced() {
	w.placed = true
	w.Placed()
}

// finishRename completes an exclusive rename that was interrupted: the server creates a
// hard link and removes the old name. finishRename changes the access time of the temporary
// file. If the file at the path then has the same time, both names are links to one file, and
// the temporary name is removed.
func (w *writing) finishRename(ctx context.Context, c *sftp.Client, temp sftp.Attrs) error {
	mark := sftp.Attrs{Has: sftp.HasTimes, ATime: max(temp.ATime, w.at.Value.ATime) + 1, MTime: temp.MTime}
	b := c.Batch()
	marked, now := b.Lsetstat(w.temp, mark), b.Lstat(w.Path)
	if err := cmp.Or(b.Do(ctx), marked.Err, now.Err); err != nil {
		return err
	}
	if now.Value.ATime != mark.ATime {
		return nil // another file with the same attributes
	}
	if _, err := c.Batch().Remove(w.temp).Do(ctx); err != nil && !isAbsent(err) {
		return err
	}
	w.setPlaced()
	return nil
}

// sameFile reports whether two files have the same mode, size, owner, group and modification time.
func sameFile(a, b sftp.Attrs) bool {
	return a.Mode == b.Mode && a.Size == b.Size && a.UID == b.UID && a.GID == b.GID && a.MTime == b.MTime
}

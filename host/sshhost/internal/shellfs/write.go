package shellfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// writing is the state of one write.
type writing struct {
	*remotefs.Write
	files *Files
	temp  string
	attrs host.Attributes // attributes of the complete file; nil owners are chosen by the host

	made   bool // the temporary file may exist
	placed bool // the temporary file was renamed
}

// WriteFile implements [remotefs.Backend]. If it fails, it tries to remove its temporary
// file, even if the caller's reader or hook panics.
func (f *Files) WriteFile(ctx context.Context, job *remotefs.Write) (host.FileInfo, error) {
	is, err := shellrpc.Info{}, fs.ErrNotExist
	if !job.Options.Exclusive { // an exclusive write checks in its requests that the path is free
		is, err = f.batches.Lstat(ctx, job.Path)
	}
	attrs, err := job.Attributes(is.FileInfo, err)
	if err != nil {
		return host.FileInfo{}, err
	}
	w := &writing{Write: job, files: f, temp: job.NewTemp(), attrs: attrs}
	defer func() {
		gone := w.placed || !w.made
		if !gone {
			ctx, cancel := host.WithoutCancel(ctx, remotefs.GracePeriod)
			defer cancel()
			gone = f.RemoveAll(ctx, []string{w.temp}) == nil
		}
		w.EndTemp(w.temp, gone)
	}()
	return w.run(ctx)
}

// run writes the file. Small content is sent inside the request that creates the file.
func (w *writing) run(ctx context.Context) (host.FileInfo, error) {
	limit := inRequest
	if w.files.single() {
		limit = singleContent
	}
	content, all, err := w.Content.Peek(limit)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return host.FileInfo{}, err
	}
	if all && len(content) <= inRequest {
		info, err := w.make(ctx, content)
		if !errors.Is(err, errLarge) {
			return info, err
		}
	}
	if w.Options.Exclusive { // before the content is sent
		if err := w.check(ctx); err != nil {
			return host.FileInfo{}, err
		}
	}
	if err := w.fill(ctx, w.Content); err != nil {
		return host.FileInfo{}, err
	}
	return w.place(ctx)
}

// check returns the reason why the path may not be written, if any.
func (w *writing) check(ctx context.Context) error {
	is, err := w.files.batches.Lstat(ctx, w.Path)
	_, err = w.Attributes(is.FileInfo, err)
	return err
}

// place calls the caller's hook and renames the file. If Options.Unchanged is set, it checks the file to be replaced
// again before the rename, because the file may have changed while the content was sent or the hook ran.
func (w *writing) place(ctx context.Context) (host.FileInfo, error) {
	if err := cmp.Or(w.BeforeReplace(ctx, w.temp), ctx.Err()); err != nil {
		return host.FileInfo{}, err
	}
	if w.Options.Unchanged != nil {
		if err := w.check(ctx); err != nil {
			return host.FileInfo{}, err
		}
	}
	reply, err := w.files.runChange(ctx, shell.Call("px_place", w.temp, w.Path, w.how()), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return w.end(reply)
}

func (w *writing) how() string {
	if w.Options.Exclusive {
		return "new"
	}
	return "over"
}

// end parses the reply of px_place, and records whether the file was renamed.
func (w *writing) end(reply shellrpc.Reply) (host.FileInfo, error) {
	if w.placed = reply[0] == ""; w.placed {
		w.Placed()
	}
	return result(w.Path, reply, host.TypeRegular, w.attrs)
}

// inRequest is the largest content to send inside a request: a shell reads requests byte by
// byte.
const inRequest = 8 << 10

// errLarge means that a request cannot contain the content, because printf is not built into the
// host's shell.
var errLarge = errors.New("the content is too large")

// make creates the file with the content, of at most inRequest bytes, inside the request, and
// renames it, in the same request unless the caller has a hook. After errLarge the file does not exist.
func (w *writing) make(ctx context.Context, content []byte) (host.FileInfo, error) {
	free := ""
	if w.Options.Exclusive {
		free = w.Path
	}
	text := shell.Call("px_make", w.temp, ownerText(w.attrs), modeText(*w.attrs.Mode), w.sync(), w.expected(len(content)), format(content), free)
	blocks, placing := 2, w.Options.BeforeReplace == nil
	if placing {
		text, blocks = shell.Join(text, shell.Call("px_then", w.temp, w.Path, w.how())), 2+outcome
	}
	w.made = true
	reply, err := w.files.runChange(ctx, text, blocks)
	switch {
	case err != nil:
		return host.FileInfo{}, err
	case reply[0] == "large":
		w.made = false
		return host.FileInfo{}, errLarge
	case reply[0] != "":
		return host.FileInfo{}, failureError(reply[0], w.attrs)
	}
	if err := w.built(reply[1], int64(len(content))); err != nil {
		return host.FileInfo{}, err
	}
	if placing {
		return w.end(reply[2:])
	}
	return w.place(ctx)
}

// expected returns a pattern for the output of px_opened for the complete file.
func (w *writing) expected(size int) string {
	return fmt.Sprintf("%x %d %s %s *", 0o100000|uint32(*w.attrs.Mode), size, number(w.attrs.UID, "*"), number(w.attrs.GID, "*"))
}

// format returns content as a format for printf(1), with special characters escaped.
func format(content []byte) string {
	var b strings.Builder
	for i, c := range content {
		switch {
		case c == 0:
			b.WriteString(`\000`)
		case c == '%':
			b.WriteString("%%")
		case c == '\\':
			b.WriteString(`\\`)
		case c == '-' && i == 0:
			b.WriteString(`\055`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (w *writing) sync() string {
	if w.Options.NoSync {
		return ""
	}
	return "sync"
}

// fill creates the temporary file and completes it. Its process cannot distinguish the end
// of the content from a broken connection, so fill compares the length of the file with that
// of the content.
func (w *writing) fill(ctx context.Context, content io.Reader) error {
	w.made = true // the file may exist from here on
	// The content may be that of another file, whose reader has a session until the write ends.
	p, err := shell.Start(remote.FileOperation(ctx), w.files.starter, shell.Join(shellrpc.OpenFile,
		shell.Call("set --", w.temp, ownerText(w.attrs), modeText(*w.attrs.Mode), w.sync()), filling))
	if err != nil {
		return err
	}
	defer p.Kill() // if the process has ended, Kill only frees its resources
	if p.ReadyArgs() != "begun" {
		w.made = false
		return failureError(p.ReadyArgs(), w.attrs)
	}
	abandon := func() { _ = p.Close() } // unblocks reads and writes
	stop := context.AfterFunc(ctx, abandon)
	defer stop()
	sent, err := send(ctx, p.Stdin(), content, abandon)
	if err != nil {
		return err
	}
	var output []byte
	err = remote.WithinReplyTimeout(abandon, func() error {
		var err error
		output, err = io.ReadAll(io.LimitReader(p.Stdout(), 64<<10))
		_, lost := p.Wait()
		return cmp.Or(err, lost)
	})
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return err
	}
	record, done := strings.CutPrefix(string(output), "done ")
	if !done {
		return failureError(string(output), w.attrs)
	}
	return w.built(record, sent)
}

// built checks the file's info that the host reported.
func (w *writing) built(record string, sent int64) error {
	is, err := shellrpc.OpenedInfo(record)
	if err != nil {
		return err
	}
	if is.Size != sent {
		return fmt.Errorf("the host wrote %d of %d bytes", is.Size, sent)
	}
	return w.attrs.Accepted(is.Mode, is.UID, is.GID)
}

// send copies the content and closes the input. It returns only errors of the content, of ctx and of
// closing the input, and [remote.ErrSilent] after it has called abandon; other errors on the host are
// reported by the process.
func send(ctx context.Context, stdin io.WriteCloser, content io.Reader, abandon func()) (sent int64, err error) {
	buffer := make([]byte, 32<<10)
	for {
		if err := ctx.Err(); err != nil {
			return sent, err
		}
		n, err := content.Read(buffer)
		if n > 0 {
			var written int
			if err := remote.WithinReplyTimeout(abandon, func() error {
				written, _ = stdin.Write(buffer[:n]) // the process reports the error
				return nil
			}); err != nil {
				return sent, err
			}
			sent += int64(written)
			if written < n {
				return sent + 1, nil // the file never has this length
			}
		}
		if err == io.EOF {
			err := stdin.Close()
			return sent, cmp.Or(ctx.Err(), err) // the end of ctx closes the input too
		}
		if err != nil {
			return sent, err
		}
	}
}

// SetAttributes implements [remotefs.Backend]. If both mode and owner change, it first sets
// the bits that the old and the new mode share, so that the new owner never has a permission that
// only the old mode grants, and the old owner never has one that only the new mode grants.
func (f *Files) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	is, err := f.batches.Lstat(ctx, path)
	if err = cmp.Or(err, attrs.CheckType(want, is.Type)); err != nil {
		return host.FileInfo{}, err
	}
	var first, owner, then string
	if attrs.OtherOwner(is.UID, is.GID) {
		owner = ownerText(attrs)
		if attrs.Mode != nil && is.Mode.Shared(*attrs.Mode) != is.Mode {
			first = modeText(is.Mode.Shared(*attrs.Mode))
		}
	}
	if attrs.Mode != nil && (owner != "" || *attrs.Mode != is.Mode) {
		then = modeText(*attrs.Mode)
	}
	if owner == "" && then == "" {
		return is.FileInfo, nil
	}
	reply, err := f.runChange(ctx, shell.Call("px_attributes", path, first, owner, then), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return accepted(path, reply, attrs)
}

// accepted is result for a request that sets attributes. It also returns an error if the object does not have them.
func accepted(path string, reply shellrpc.Reply, attrs host.Attributes) (host.FileInfo, error) {
	info, err := result(path, reply, host.TypeUnknown, attrs)
	if err == nil {
		err = attrs.Accepted(info.Mode, info.UID, info.GID)
	}
	return info, err
}

// modeText returns a mode for chmod(1). Some versions keep setuid and setgid of a directory
// unless there are five digits.
func modeText(mode host.Mode) string { return "0" + mode.String() }

// ownerText returns an owner for chown(1), or "" if neither UID nor GID is set.
func ownerText(attrs host.Attributes) string {
	text := number(attrs.UID, "")
	if attrs.GID != nil {
		text += ":" + number(attrs.GID, "")
	}
	return text
}

func number(n *uint32, none string) string {
	if n == nil {
		return none
	}
	return host.FormatID(*n)
}

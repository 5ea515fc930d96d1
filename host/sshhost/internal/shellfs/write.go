package shellfs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// WriteFile implements [host.Files].
func (f *Files) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := host.FileInfo{}, cmp.Or(beginMake(ctx, path), opts.Attributes.Check())
	if err == nil {
		info, err = f.write(ctx, path, content, opts)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("write", path, err)
	}
	return info, nil
}

// writing is one write, from nothing to a file that has its name.
type writing struct {
	files *Files
	path  string
	temp  string
	attrs host.Attributes // of the complete file; nil owners are the host's choice
	opts  host.WriteOptions

	made   bool // the temporary file may be there
	placed bool // it has its name
}

// write removes its temporary file when it can not end: also when the caller's
// reader or hook panics.
func (f *Files) write(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	release, err := f.locks.Lock(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer release()
	answers, err := f.batches.Ask(ctx, shellrpc.InfoQuestion(path), shellrpc.TempsQuestion(path))
	if err != nil {
		return host.FileInfo{}, err
	}
	attrs, err := replaces(path, answers[0], opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	f.discard(ctx, f.leftover(ctx, path, shellrpc.TempsAnswer(answers[1]))...)
	w := &writing{files: f, path: path, temp: host.TempPath(path, lease.New()), attrs: attrs, opts: opts}
	defer f.active.begin(w.temp)()
	defer func() {
		if w.made && !w.placed {
			f.discard(ctx, w.temp)
		}
	}()
	return w.run(ctx, content)
}

// run sends a small content with the question that makes a file of it.
func (w *writing) run(ctx context.Context, content io.Reader) (host.FileInfo, error) {
	limit := int64(inQuestion)
	if w.files.single() {
		limit = singleContent
	}
	begin, rest, err := peek(ctx, content, limit)
	if err != nil {
		return host.FileInfo{}, err
	}
	content = io.Reader(bytes.NewReader(begin))
	if rest != nil {
		content = io.MultiReader(content, rest)
	} else if len(begin) <= inQuestion {
		info, err := w.make(ctx, begin)
		if !errors.Is(err, errLarge) {
			return info, err
		}
	}
	if err := w.fill(ctx, content); err != nil {
		return host.FileInfo{}, err
	}
	return w.place(ctx)
}

// place asks for the last word, and gives the file its name.
func (w *writing) place(ctx context.Context) (host.FileInfo, error) {
	if w.opts.BeforeReplace != nil {
		if err := w.opts.BeforeReplace(ctx, w.temp); err != nil {
			return host.FileInfo{}, &host.SourceError{Source: "before replace", Err: err}
		}
	}
	if err := ctx.Err(); err != nil {
		return host.FileInfo{}, err
	}
	answer, err := w.files.change(ctx, shell.Call("px_place", w.temp, w.path, w.how()), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return w.end(ctx, answer)
}

func (w *writing) how() string {
	if w.opts.Exclusive {
		return "new"
	}
	return "over"
}

// end reads the answer of px_place.
func (w *writing) end(ctx context.Context, answer shellrpc.Answer) (host.FileInfo, error) {
	w.placed = answer[0] == ""
	return w.files.settle(ctx, w.path, answer, host.TypeRegular, w.attrs)
}

// replaces answers early and for good messages whether path can be written, and
// what attributes its new content is to have. What is there when the file gets its
// name decides.
func replaces(path string, answer shellrpc.Answer, opts host.WriteOptions) (host.Attributes, error) {
	attrs := opts.Attributes
	old, err := shellrpc.InfoAnswer(path, answer)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a missing parent shows when the temporary file is made
		if attrs.Mode == nil {
			attrs.Mode = new(host.Mode(0o600))
		}
		return attrs, nil
	case err != nil:
		return attrs, err
	case opts.Exclusive:
		return attrs, fs.ErrExist
	}
	if attrs.Mode == nil {
		attrs.Mode = &old.Mode
	}
	if attrs.UID == nil {
		attrs.UID = &old.UID
	}
	if attrs.GID == nil {
		attrs.GID = &old.GID
	}
	return attrs, wantType(old, host.TypeRegular)
}

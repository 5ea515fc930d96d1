package shellfs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
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
	placed bool // it was renamed
}

// WriteFile implements [remotefs.Backend]. It removes its temporary file when it fails,
// also if the caller's reader or hook panics.
func (f *Files) WriteFile(ctx context.Context, job *remotefs.Write) (host.FileInfo, error) {
	is, err := f.batches.Stat(ctx, job.Path)
	attrs, err := job.Attributes(toInfo(is), err)
	if err != nil {
		return host.FileInfo{}, err
	}
	w := &writing{Write: job, files: f, temp: job.NewTemp(), attrs: attrs}
	defer func() {
		gone := w.placed || !w.made
		if !gone {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
			defer cancel()
			gone = f.RemoveAll(ctx, []string{w.temp}) == nil
		}
		w.EndTemp(w.temp, gone)
	}()
	return w.run(ctx)
}

// afterwards limits undoing after a context has ended.
const afterwards = 10 * time.Second

// run sends small content inside the question that creates the file.
func (w *writing) run(ctx context.Context) (host.FileInfo, error) {
	limit := int64(inQuestion)
	if w.files.single() {
		limit = singleContent
	}
	begin, rest, err := peek(w.Content, limit)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return host.FileInfo{}, err
	}
	content := io.Reader(bytes.NewReader(begin))
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

// place calls the caller's hook and renames the file.
func (w *writing) place(ctx context.Context) (host.FileInfo, error) {
	if err := cmp.Or(w.BeforeReplace(ctx, w.temp), ctx.Err()); err != nil {
		return host.FileInfo{}, err
	}
	answer, err := w.files.change(ctx, shell.Call("px_place", w.temp, w.Path, w.how()), outcome)
	if err != nil {
		return host.FileInfo{}, err
	}
	return w.end(answer)
}

func (w *writing) how() string {
	if w.Options.Exclusive {
		return "new"
	}
	return "over"
}

// end parses the answer of px_place.
func (w *writing) end(answer shellrpc.Answer) (host.FileInfo, error) {
	if w.placed = answer[0] == ""; w.placed {
		w.Placed()
	}
	return result(w.Path, answer, host.TypeRegular, w.attrs)
}

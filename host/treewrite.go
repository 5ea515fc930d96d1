package host

import (
	"context"
	"errors"
	"io"
	"path"
	"sync"
)

// TreeWriter is a host that can write many files in few steps.
type TreeWriter interface {
	WriteTree(ctx context.Context, root string, files []TreeFile) error
}

// TreeFile is a file to write.
type TreeFile struct {
	Path string // relative to the root; its directory must exist
	// Attributes must have a Mode. Without UID and GID, the file has the owner that the
	// host gives to new files or, if it replaces a file, possibly that file's owner.
	Attributes
	Size int64
	// Open is called at most once at a time, and again only if writing starts over. The
	// content must have exactly Size bytes.
	Open func() (io.ReadCloser, error)
}

// WriteTree writes many files below a directory. Each is replaced in one step, as by
// [Files.WriteFile], in any order. After an error some files have been written and the
// others are unchanged; an error of a file's Open is a [*SourceError]. Only regular files
// are replaced, and no temporary file is left. A root must have only one writer at a time.
func WriteTree(ctx context.Context, h Host, root string, files []TreeFile) error {
	if err := checkTree(root, files); err != nil {
		return &Error{Op: "write below", Host: h.Name(), Path: root, Err: err}
	}
	if len(files) == 0 {
		return nil
	}
	if w, ok := h.(TreeWriter); ok {
		return w.WriteTree(ctx, root, files)
	}
	return WriteEach(ctx, h, root, files)
}

func checkTree(root string, files []TreeFile) error {
	if err := CheckPath(root); err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		if err := CheckTarget("/" + f.Path); err != nil {
			return err
		}
		if f.Mode == nil {
			return errors.New("the file has no mode")
		}
		if err := f.Attributes.Check(); err != nil {
			return err
		}
	}
	return nil
}

// WriteEach is [WriteTree] with the methods that every host has.
func WriteEach(ctx context.Context, h Host, root string, files []TreeFile) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	next := make(chan *TreeFile)
	for range min(treeWorkers, len(files)) {
		wait.Go(func() {
			for f := range next {
				if err := f.write(ctx, h, path.Join(root, f.Path)); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- &files[i]
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

func (f *TreeFile) write(ctx context.Context, h Host, at string) error {
	if ctx.Err() != nil {
		return nil
	}
	content, err := f.Open()
	if err != nil {
		return &Error{Op: "write", Host: h.Name(), Path: at, Err: &SourceError{Source: "content", Err: err}}
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	_, err = h.WriteFile(ctx, at, f.Content(content), WriteOptions{Attributes: f.Attributes})
	return err
}

// Content returns r with an error if it does not have exactly Size bytes.
func (f *TreeFile) Content(r io.Reader) io.Reader { return &exactly{r: r, left: f.Size} }

// exactly is a reader that fails if it does not have the expected number of bytes.
type exactly struct {
	r    io.Reader
	left int64
}

var errOtherSize = errors.New("the size is not the expected one: the file was changed in the meantime")

func (e *exactly) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	switch {
	case e.left < 0, err == io.EOF && e.left != 0:
		return max(0, n+int(min(e.left, 0))), errOtherSize
	}
	return n, err
}

package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// body is the content that a file is to have.
type body struct {
	open func() (io.ReadCloser, error) // nil where configuration has none
}

// none reports whether there is no content to write. That is so while a
// configuration ignores changes of the content, and what the file has now is
// nothing that state can show.
func (b body) none() bool { return b.open == nil }

// facts are what is known of content once it was read through.
type facts struct {
	sum  [sha256.Size]byte
	size int64
}

func (s facts) hex() string { return hex.EncodeToString(s.sum[:]) }

// errNoContent is what validation cannot see while values are unknown.
var errNoContent = errors.New("one of content, content_base64, source and content_wo must be set, and all of them turned out to be null")

// body is the configured content. That no two are set is checked before, and
// again here for values that were unknown then.
func (f *File) body() (body, error) {
	var found []func() (io.ReadCloser, error)
	text := func(s string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	}
	if f.Content != nil {
		found = append(found, text(*f.Content))
	}
	if f.ContentBase64 != nil {
		content := *f.ContentBase64
		found = append(found, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	}
	if f.Source != nil {
		found = append(found, func() (io.ReadCloser, error) { return openSource(*f.Source) })
	}
	if f.ContentWO != nil {
		found = append(found, text(*f.ContentWO))
	}
	switch len(found) {
	case 0:
		return body{}, nil
	case 1:
		return body{found[0]}, nil
	default:
		return body{}, errors.New("only one of content, content_base64, source and content_wo can be set, and more turned out to be")
	}
}

// openSource opens a file on the machine where the provider runs. Its errors
// belong to the attribute source. Links are followed: the file is the user's.
func openSource(path string) (io.ReadCloser, error) {
	refuse := func(err error) (io.ReadCloser, error) {
		if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
			err = wrapped.Err
		}
		wd := ""
		if dir, wdErr := os.Getwd(); wdErr == nil && !strings.HasPrefix(path, "/") {
			wd = " (from " + host.QuotePath(dir) + ")"
		}
		return nil, diag.AttributeErrorf("source", "%s%s, on the machine where the provider runs, cannot be read: %w. The file must exist when the plan is made",
			host.QuotePath(path), wd, sourceError{err})
	}
	// To open a named pipe would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return refuse(err)
	}
	if !info.Mode().IsRegular() {
		kind := "a special file"
		if info.IsDir() {
			kind = "a directory"
		}
		return refuse(fmt.Errorf("it is %s, not a regular file", kind))
	}
	file, err := os.Open(path)
	if err != nil {
		return refuse(err)
	}
	return file, nil
}

// sourceError keeps the absence of a source from reading as the absence of the
// file that is managed.
type sourceError struct{ err error }

func (e sourceError) Error() string { return e.err.Error() }

// read reads the content through.
func (b body) read() (facts, error) {
	r, err := b.open()
	if err != nil {
		return facts{}, err
	}
	defer func() { _ = r.Close() }() // nothing was written: a failing Close loses nothing
	counted := &counting{r: r, hash: sha256.New()}
	if _, err := io.Copy(io.Discard, counted); err != nil {
		return facts{}, err
	}
	return counted.facts(), nil
}

// write makes the content that of the file at path, and says what was written:
// a source may have changed since it was looked at.
func (b body) write(ctx context.Context, h host.Host, path string, opts host.WriteOptions) (host.FileInfo, facts, error) {
	r, err := b.open()
	if err != nil {
		return host.FileInfo{}, facts{}, err
	}
	defer func() { _ = r.Close() }() // nothing was written to it
	counted := &counting{r: r, hash: sha256.New()}
	info, err := h.WriteFile(ctx, path, counted, opts)
	return info, counted.facts(), err
}

// counting is a reader that learns the facts of what passes.
type counting struct {
	r    io.Reader
	hash hash.Hash
	size int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	c.size += int64(n)
	return n, err
}

func (c *counting) facts() facts {
	f := facts{size: c.size}
	c.hash.Sum(f.sum[:0])
	return f
}

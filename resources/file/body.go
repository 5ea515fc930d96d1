package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// body is the content that a file is to have: bytes that are at hand, or a
// source that may be larger than memory.
type body struct {
	open    func() io.Reader // of bytes that are at hand
	source  string
	sources *sources // of a source
}

// none reports whether there is no content to write. That is so while a
// configuration ignores changes of the content, and what the file has now is
// nothing that state can show.
func (b body) none() bool { return b.open == nil && b.sources == nil }

// facts are what is known of content once it was read through.
type facts struct {
	sum  [sha256.Size]byte
	size int64
}

func (s facts) hex() string { return hex.EncodeToString(s.sum[:]) }

// errNoContent is what validation cannot see while values are unknown.
var errNoContent = errors.New("one of content, content_base64, source and content_wo must be set, but all of them are null")

// body is the configured content. That no two are set is checked before, and
// again here for values that were unknown then.
func (f *File) body() (body, error) {
	var found []body
	for _, text := range []*string{f.Content, f.ContentWO} {
		if text != nil {
			found = append(found, body{open: func() io.Reader { return strings.NewReader(*text) }})
		}
	}
	if f.ContentBase64 != nil {
		found = append(found, body{open: func() io.Reader { return bytes.NewReader(*f.ContentBase64) }})
	}
	if f.Source != nil {
		found = append(found, body{source: *f.Source, sources: f.sources})
	}
	switch len(found) {
	case 0:
		return body{}, nil
	case 1:
		return found[0], nil
	default:
		return body{}, errors.New("only one of content, content_base64, source and content_wo can be set, but several of them are")
	}
}

// check makes sure that a source is there.
func (b body) check() error {
	if b.sources == nil {
		return nil
	}
	file, err := openSource(b.source)
	if err != nil {
		return err
	}
	return file.Close()
}

// read reads the content through.
func (b body) read(ctx context.Context) (facts, error) {
	if b.sources != nil {
		return b.sources.facts(ctx, b.source)
	}
	return digest(b.open())
}

// planned is read where content is about to be written: of a source it must be
// what the plan was made with.
func (b body) planned(ctx context.Context, h host.Host, path address.Path) (facts, error) {
	found, err := b.read(ctx)
	if err == nil && b.sources != nil {
		err = b.sources.confirm(h, path, b.source, found)
	}
	return found, err
}

// write makes the content that of the file at path. It has to be what was looked
// at before: a source that changes while it is copied is not.
func (b body) write(ctx context.Context, h host.Host, path address.Path, want facts, opts host.WriteOptions) (host.FileInfo, error) {
	if b.sources == nil {
		return h.WriteFile(ctx, string(path), b.open(), opts)
	}
	file, err := openSource(b.source)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	copying := progress{doing: "copying a source", total: want.size, fields: map[string]any{"source": b.source, "host": h.Name(), "path": string(path)}}.of(ctx, file)
	return h.WriteFile(ctx, string(path), &checked{counting: newCounting(copying), file: file, copying: copying, source: b.source, want: want}, opts)
}

// digest reads r through.
func digest(r io.Reader) (facts, error) {
	c := newCounting(r)
	_, err := io.Copy(io.Discard, c)
	return c.facts(), err
}

// counting is a reader that learns the facts of what passes.
type counting struct {
	r    io.Reader
	hash hash.Hash
	size int64
}

func newCounting(r io.Reader) *counting { return &counting{r: r, hash: sha256.New()} }

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

// checked is a reader of a source that ends with an error in place of its end,
// so that nothing is made of what was read, unless that is what it was to be.
type checked struct {
	*counting
	file    *os.File
	copying *progressReader
	source  string
	want    facts
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.counting.Read(p)
	if c.size > c.want.size || errors.Is(err, io.EOF) && c.facts() != c.want {
		return n, sourceChanged(c.source, c.want, c.facts())
	}
	return n, err
}

// Seek goes back to the beginning, and nowhere else: a host whose connection broke
// can then write once more.
func (c *checked) Seek(offset int64, whence int) (int64, error) {
	switch {
	case whence == io.SeekCurrent && offset == 0:
		return c.size, nil
	case whence != io.SeekStart || offset != 0:
		return c.size, errors.New("a source is read from its beginning")
	}
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		return c.size, err
	}
	c.hash.Reset()
	c.size, c.copying.done = 0, 0
	return 0, nil
}

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

// body is the content that a file should have: bytes in memory, or a source that may be
// larger than memory.
type body struct {
	open    func() io.Reader // for bytes in memory
	source  string
	sources *sources // for a source
}

// none reports whether there is no content to write. That is the case if changes of the
// content are ignored, and the state cannot represent the file's content.
func (b body) none() bool { return b.open == nil && b.sources == nil }

// facts are the digest and size of content.
type facts struct {
	sum  [sha256.Size]byte
	size int64
}

func (s facts) hex() string { return hex.EncodeToString(s.sum[:]) }

// errNoContent is the error if an unknown value turned out to be null.
var errNoContent = errors.New("one of content, content_base64, source and content_wo must be set, but all of them are null")

// body returns the configured content. Conflicting attributes are rejected before, and here
// for values that were unknown then.
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

// check returns an error if the source does not exist.
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

// read reads the content and returns its facts.
func (b body) read(ctx context.Context) (facts, error) {
	if b.sources != nil {
		return b.sources.facts(ctx, b.source)
	}
	return digest(b.open())
}

// planned is read for content that is about to be written: a source must still have the
// planned content.
func (b body) planned(ctx context.Context, h host.Host, path address.Path) (facts, error) {
	found, err := b.read(ctx)
	if err == nil && b.sources != nil {
		err = b.sources.confirm(h, path, b.source, found)
	}
	return found, err
}

// write writes the content to the file at path. A source that changes while it is copied is
// an error.
func (b body) write(ctx context.Context, h host.Host, path address.Path, want facts, opts host.WriteOptions) (host.FileInfo, error) {
	if b.sources == nil {
		return h.WriteFile(ctx, string(path), b.open(), opts)
	}
	file, err := openSource(b.source)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer func() { _ = file.Close() }() // read only: no write can be lost
	copying := progress{doing: "copying a source", total: want.size, fields: map[string]any{"source": b.source, "host": h.Name(), "path": string(path)}}.of(ctx, file)
	return h.WriteFile(ctx, string(path), &checked{counting: newCounting(copying), file: file, copying: copying, source: b.source, want: want}, opts)
}

// digest reads all of r and returns its facts.
func digest(r io.Reader) (facts, error) {
	c := newCounting(r)
	_, err := io.Copy(io.Discard, c)
	return c.facts(), err
}

// counting is a reader that computes the facts of what is read.
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

// checked is a reader of a source that returns an error instead of io.EOF unless the
// content is as expected, so that other content is never used.
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

// Seek goes back to the beginning, the only supported position, so that a host can write
// again after its connection broke.
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

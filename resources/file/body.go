package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// body is the desired content of a file: bytes in memory, or a source file, which may be
// too large for memory.
type body struct {
	open    func() io.Reader // reader of bytes in memory; nil for a source
	source  string
	sources *sources // nil for bytes in memory
}

// isUnset reports whether no content is set. In an update, this is the case if the configuration
// ignores changes of the content, and the state cannot represent the current content.
func (b body) isUnset() bool { return b.open == nil && b.sources == nil }

// fingerprint is the SHA-256 digest and the size of content.
type fingerprint struct {
	sum  [sha256.Size]byte
	size int64
}

func (s fingerprint) hex() string { return hex.EncodeToString(s.sum[:]) }

// errNoContent is the error for values that are null but were unknown during validation.
var errNoContent = errors.New("one of content, content_base64, source and content_wo must be set, but all of them are null")

// body returns the configured content, which is unset if no attribute is set. It returns an
// error if several are set, because validation does not check values that were unknown.
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

// check returns an error if the source cannot be opened.
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

// fingerprint returns the fingerprint of the content. It reads the content completely, unless
// the fingerprint of a source is cached.
func (b body) fingerprint(ctx context.Context) (fingerprint, error) {
	if b.sources != nil {
		return b.sources.fingerprint(ctx, b.source)
	}
	return fingerprintOf(b.open())
}

// plannedFingerprint returns the fingerprint of the content, and an error if the content
// of a source differs from the planned content.
func (b body) plannedFingerprint(ctx context.Context, h host.Host, path address.Path) (fingerprint, error) {
	found, err := b.fingerprint(ctx)
	if err == nil && b.sources != nil {
		err = b.sources.checkPlan(h, path, b.source, found)
	}
	return found, err
}

// write writes the content to the file at path. It returns an error, and does not replace
// the file, if the content of a source differs from want.
func (b body) write(ctx context.Context, h host.Host, path address.Path, want fingerprint, opts host.WriteOptions) (host.FileInfo, error) {
	if b.sources == nil {
		return h.WriteFile(ctx, string(path), b.open(), opts)
	}
	file, err := openSource(b.source)
	if err != nil {
		return host.FileInfo{}, err
	}
	defer func() { _ = file.Close() }() // read only
	copying := progress{message: "copying a source", total: want.size, fields: map[string]any{"source": b.source, "host": h.Name(), "path": string(path)}}.reader(ctx, file)
	return h.WriteFile(ctx, string(path), &verifiedSource{fingerprintReader: newFingerprintReader(copying), file: file, copying: copying, source: b.source, want: want}, opts)
}

// fingerprintOf returns the fingerprint of the content of r, which it reads completely.
func fingerprintOf(r io.Reader) (fingerprint, error) {
	c := newFingerprintReader(r)
	_, err := io.Copy(io.Discard, c)
	return c.fingerprint(), err
}

// fingerprintReader is a reader that computes the fingerprint of the content it reads.
type fingerprintReader struct {
	r    io.Reader
	hash hash.Hash
	size int64
}

func newFingerprintReader(r io.Reader) *fingerprintReader {
	return &fingerprintReader{r: r, hash: sha256.New()}
}

func (c *fingerprintReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	c.size += int64(n)
	return n, err
}

func (c *fingerprintReader) fingerprint() fingerprint {
	f := fingerprint{size: c.size}
	c.hash.Sum(f.sum[:0])
	return f
}

// verifiedSource is a reader of a source. If the content differs from want, it returns an
// error instead of io.EOF, or as soon as the content is longer, so that the caller
// discards what it has read.
type verifiedSource struct {
	*fingerprintReader
	file    *os.File
	copying *progressReader
	source  string
	want    fingerprint
}

func (c *verifiedSource) Read(p []byte) (int, error) {
	n, err := c.fingerprintReader.Read(p)
	if c.size > c.want.size || errors.Is(err, io.EOF) && c.fingerprint() != c.want {
		return n, sourceChanged(c.source, c.want, c.fingerprint())
	}
	return n, err
}

// Seek implements [io.Seeker]. It only supports the beginning and the current offset, so
// that a host can repeat a write after its connection broke.
func (c *verifiedSource) Seek(offset int64, whence int) (int64, error) {
	switch {
	case whence == io.SeekCurrent && offset == 0:
		return c.size, nil
	case whence != io.SeekStart || offset != 0:
		return c.size, errors.New("a source can only be read from its beginning")
	}
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		return c.size, err
	}
	c.hash.Reset()
	c.size, c.copying.done = 0, 0
	return 0, nil
}

// logInterval is the minimum time between two log messages during a transfer.
const logInterval = 5 * time.Second

// progress logs the number of transferred bytes, never their content.
type progress struct {
	message string // such as "copying a source"
	total   int64
	fields  map[string]any

	done           int64
	start, nextLog time.Time
}

// reader returns a reader that logs the progress of reading r, and fails when ctx ends.
func (p progress) reader(ctx context.Context, r io.Reader) *progressReader {
	p.start = time.Now()
	p.nextLog = p.start.Add(logInterval)
	return &progressReader{ctx: ctx, r: r, progress: p}
}

type progressReader struct {
	progress
	ctx context.Context //nolint:containedctx // the method Read has no parameter for a context
	r   io.Reader
}

func (p *progressReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.done += int64(n)
	switch now := time.Now(); {
	case errors.Is(err, io.EOF):
		tflog.Debug(p.ctx, p.message+": done", p.logFields(now))
	case now.After(p.nextLog):
		p.nextLog = now.Add(logInterval)
		tflog.Info(p.ctx, p.message, p.logFields(now))
	}
	return n, err
}

func (p *progressReader) logFields(now time.Time) map[string]any {
	// The values are strings, because the log prints large numbers as 2.147483648e+09.
	fields := map[string]any{
		"bytes": strconv.FormatInt(p.done, 10), "bytes_in_all": strconv.FormatInt(p.total, 10),
		"duration": now.Sub(p.start).Round(time.Millisecond).String(),
	}
	maps.Copy(fields, p.fields)
	return fields
}

package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// sources caches the digests of source files in this process. A plan needs the digest of a
// source several times, and one source may be copied to many files: it is read once unless
// its metadata changes. The planned content of each copy is remembered, so that no other
// content is copied.
type sources struct {
	mu      sync.Mutex
	seen    map[string]*source
	planned map[place]facts
}

type place struct {
	host string
	path address.Path
}

// source is the state of one source file.
type source struct {
	mu    sync.Mutex  // held while the file is read
	info  fs.FileInfo // metadata when it was read; nil before
	facts facts
}

// settled is how old a modification time must be to prove that the file has not changed
// since: file systems have a resolution of up to two seconds.
const settled = 2 * time.Second

func (s *sources) at(path string) *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = make(map[string]*source)
	}
	if s.seen[path] == nil {
		s.seen[path] = &source{}
	}
	return s.seen[path]
}

// facts returns the facts of the source at path as it is now.
func (s *sources) facts(ctx context.Context, path string) (facts, error) {
	file, err := openSource(path)
	if err != nil {
		return facts{}, err
	}
	defer func() { _ = file.Close() }() // read only: no write can be lost
	known := s.at(path)
	known.mu.Lock()
	defer known.mu.Unlock()
	info, err := file.Stat()
	if err != nil {
		return facts{}, unreadableSource(path, err)
	}
	if known.info != nil && looksSame(known.info, info) {
		return known.facts, nil
	}
	begun := time.Now()
	reading := progress{doing: "reading a source", total: info.Size(), fields: map[string]any{"source": path}}
	found, err := digest(reading.of(ctx, file))
	switch {
	case ctx.Err() != nil:
		return facts{}, ctx.Err()
	case err != nil:
		return facts{}, unreadableSource(path, err)
	}
	known.info = nil
	if after, err := file.Stat(); err == nil && looksSame(info, after) && begun.Sub(info.ModTime()) > settled {
		known.info, known.facts = info, found
	}
	return found, nil
}

func looksSame(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// plan records the content that will be copied to a path.
func (s *sources) plan(h host.Host, path address.Path, content facts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planned == nil {
		s.planned = make(map[place]facts)
	}
	s.planned[place{h.Name(), path}] = content
}

// confirm returns an error if the content is not what was planned for the path.
func (s *sources) confirm(h host.Host, path address.Path, source string, content facts) error {
	s.mu.Lock()
	planned, ok := s.planned[place{h.Name(), path}]
	s.mu.Unlock()
	if !ok || planned == content {
		return nil
	}
	return sourceChanged(source, planned, content)
}

// sourceChanged returns the error for a source whose content differs from the plan, as far
// as it was read.
func sourceChanged(source string, planned, found facts) error {
	return diag.AttributeErrorf("source", "%s has changed since the plan was made: planned %s with SHA-256 %s, read %s with %s. "+
		"Nothing was written, and the existing file was not changed. When the source is complete, plan and apply again",
		host.QuotePath(source), diag.Count(planned.size, "byte"), planned.hex(), diag.Count(found.size, "byte"), found.hex())
}

// openSource opens a file on the host that the provider runs on. Its errors are about the
// attribute source. Links are followed, because the file belongs to the user.
func openSource(path string) (*os.File, error) {
	// Opening a named pipe would block until there is a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadableSource(path, err)
	}
	if !info.Mode().IsRegular() {
		kind := "a special file"
		if info.IsDir() {
			kind = "a directory"
		}
		return nil, unreadableSource(path, fmt.Errorf("it is %s, not a regular file", kind))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadableSource(path, err)
	}
	return file, nil
}

func unreadableSource(path string, err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	wd := ""
	if dir, wdErr := os.Getwd(); wdErr == nil && !strings.HasPrefix(path, "/") {
		wd = " (from " + host.QuotePath(dir) + ")"
	}
	return diag.AttributeErrorf("source", "%s%s, on the host that runs the provider, cannot be read: %w. The file must exist at plan time",
		host.QuotePath(path), wd, sourceError{err})
}

// sourceError prevents a missing source from being mistaken for a missing managed file.
type sourceError struct{ err error }

func (e sourceError) Error() string { return e.err.Error() }

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

// sources are the files that content is copied from, as this process has seen
// them. A plan asks for the digest of a source several times, and a source may be
// copied to many places: it is read once for as long as it looks the same. What
// was planned to be copied is remembered, so that nothing else is.
type sources struct {
	mu      sync.Mutex
	seen    map[string]*source
	planned map[place]facts
}

type place struct {
	host string
	path address.Path
}

// source is what was found in one file.
type source struct {
	mu    sync.Mutex  // held while the file is read
	info  fs.FileInfo // how it looked; nil when nothing is known of it
	facts facts
}

// settled is how long a file must have been left alone for its time to tell that
// it has not changed: file systems count in steps of up to two seconds.
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

// facts are those of the source at path, as it is now.
func (s *sources) facts(ctx context.Context, path string) (facts, error) {
	file, err := openSource(path)
	if err != nil {
		return facts{}, err
	}
	defer func() { _ = file.Close() }() // nothing was written: a failing Close loses nothing
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

// plan notes what is to be copied to a place.
func (s *sources) plan(h host.Host, path address.Path, content facts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planned == nil {
		s.planned = make(map[place]facts)
	}
	s.planned[place{h.Name(), path}] = content
}

// confirm refuses to copy to a place what was not planned for it.
func (s *sources) confirm(h host.Host, path address.Path, source string, content facts) error {
	s.mu.Lock()
	planned, ok := s.planned[place{h.Name(), path}]
	s.mu.Unlock()
	if !ok || planned == content {
		return nil
	}
	return sourceChanged(source, planned, content)
}

// sourceChanged is the error about a source with other content than planned, as
// far as it was read.
func sourceChanged(source string, planned, found facts) error {
	return diag.AttributeErrorf("source", "%s has changed since the plan was made: planned %s with SHA-256 %s, read %s with %s. "+
		"Nothing was written, and the existing file was not changed. When the source is complete, plan and apply again",
		host.QuotePath(source), diag.Count(planned.size, "byte"), planned.hex(), diag.Count(found.size, "byte"), found.hex())
}

// openSource opens a file on the host where the provider runs. Its errors
// belong to the attribute source. Links are followed: the file is the user's.
func openSource(path string) (*os.File, error) {
	// To open a named pipe would wait for a writer.
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

// sourceError keeps the absence of a source from reading as the absence of the
// file that is managed.
type sourceError struct{ err error }

func (e sourceError) Error() string { return e.err.Error() }

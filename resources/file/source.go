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
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// sources caches the fingerprints of source files, because a plan requires each of them several
// times, and one source may be copied to several files. A fingerprint is computed again only if
// the metadata of the source has changed, or if the source was new when it was read (see minAge).
// sources also records the fingerprint that was planned for each file, so that no other content is copied.
type sources struct {
	mu      sync.Mutex
	cache   map[string]*cachedSource
	planned lifecycle.Table[fingerprint]
}

// cachedSource is the cached fingerprint of one file.
type cachedSource struct {
	mu          sync.Mutex  // locked while the file is read
	info        fs.FileInfo // metadata of the file when it was read; nil if nothing is cached
	fingerprint fingerprint
}

// minAge is the minimum age of a modification time for caching: a later change of a newer
// file may have the same time, because file systems have resolutions of up to two seconds.
const minAge = 2 * time.Second

func (s *sources) entry(path string) *cachedSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		s.cache = make(map[string]*cachedSource)
	}
	if s.cache[path] == nil {
		s.cache[path] = &cachedSource{}
	}
	return s.cache[path]
}

// fingerprint returns the current fingerprint of the source at path.
func (s *sources) fingerprint(ctx context.Context, path string) (fingerprint, error) {
	file, err := openSource(path)
	if err != nil {
		return fingerprint{}, err
	}
	defer func() { _ = file.Close() }() // read only
	known := s.entry(path)
	known.mu.Lock()
	defer known.mu.Unlock()
	info, err := file.Stat()
	if err != nil {
		return fingerprint{}, unreadableSource(path, err)
	}
	if known.info != nil && sameMetadata(known.info, info) {
		return known.fingerprint, nil
	}
	start := time.Now()
	reading := progress{message: "reading a source", total: info.Size(), fields: map[string]any{"source": path}}
	found, err := fingerprintOf(reading.reader(ctx, file))
	switch {
	case ctx.Err() != nil:
		return fingerprint{}, ctx.Err()
	case err != nil:
		return fingerprint{}, unreadableSource(path, err)
	}
	known.info = nil
	if after, err := file.Stat(); err == nil && sameMetadata(info, after) && start.Sub(info.ModTime()) > minAge {
		known.info, known.fingerprint = info, found
	}
	return found, nil
}

func sameMetadata(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// checkPlan returns an error if the content differs from the content that was planned for the file at path.
func (s *sources) checkPlan(h host.Host, path address.Path, source string, content fingerprint) error {
	planned, ok := s.planned.Get(h.Name(), path)
	if !ok || planned == content {
		return nil
	}
	return sourceChanged(source, planned, content)
}

// sourceChanged returns the error for a source whose content differs from the planned
// content. found may be the fingerprint of only a part of the source.
func sourceChanged(source string, planned, found fingerprint) error {
	return diag.AttributeErrorf("source", "%s has changed since the plan was made: planned %s with SHA-256 %s, read %s with %s. "+
		"Nothing was written, and the existing file was not changed. When the source is complete, plan and apply again",
		host.QuotePath(source), diag.Count(planned.size, "byte"), planned.hex(), diag.Count(found.size, "byte"), found.hex())
}

// openSource opens a regular file on the host that runs the provider. It follows symbolic links.
// Its errors have the path of the attribute source.
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
	return diag.AttributeErrorf("source", "%s%s, on the host that runs the provider, cannot be read: %w. If another resource writes the file in the same apply, take the path from an attribute that is unknown until then",
		host.QuotePath(path), wd, sourceError{err})
}

// sourceError hides that an error wraps fs.ErrNotExist, because callers would conclude that
// the managed file is missing.
type sourceError struct{ err error }

func (e sourceError) Error() string { return e.err.Error() }

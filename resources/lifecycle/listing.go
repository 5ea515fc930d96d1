package lifecycle

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

const (
	// slowLstat is the minimum duration of the fastest Lstat in a directory for which the directory is listed.
	slowLstat = 5 * time.Millisecond
	// manyLstats is the number of calls of CachedLstat for a directory before it is listed.
	manyLstats = 8
	// listingBudget is the maximum duration of a listing as a multiple of that of the fastest Lstat: a
	// directory may have a million entries.
	listingBudget = 6
	// listingAge is how long a listing is valid.
	listingAge = 2 * time.Second
)

// listings caches listings of the directories of planned objects.
type listings struct {
	mu  *sync.Mutex
	dir map[place]*directory
}

func newListings() listings { return listings{new(sync.Mutex), make(map[place]*directory)} }

func (l listings) of(h host.Host, dir string) *directory {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := place{h.Name(), Key(dir)}
	if l.dir[p] == nil {
		l.dir[p] = &directory{path: dir}
	}
	return l.dir[p]
}

// CachedLstat returns the result of Lstat for a preflight. Most objects to create do not
// exist: on a slow connection, many calls for one directory use one listing. The listing
// is up to two seconds old, so Create must check again. The error wraps [fs.ErrNotExist] if there
// is no object.
func (s *Scope) CachedLstat(ctx context.Context, at address.Path) (host.FileInfo, error) {
	dir := s.hosts.listings.of(s.Host, path.Dir(string(at)))
	if dir.lacks(ctx, s.Host, path.Base(string(at))) {
		return host.FileInfo{}, &host.Error{Op: "stat", Host: s.Host.Name(), Path: string(at), Err: fs.ErrNotExist}
	}
	start := time.Now()
	info, err := s.Host.Lstat(ctx, string(at))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		dir.record(time.Since(start))
	}
	return info, err
}

// directory is the cache of one directory.
type directory struct {
	path string

	mu      sync.Mutex
	lstats  int
	fastest time.Duration // fastest Lstat so far; zero before the first
	listing *listing      // last listing; nil before the first
}

// listing is the entries of a directory.
type listing struct {
	done chan struct{} // closed when the other fields are set
	at   time.Time
	has  map[string]bool // names of the entries; nil after an error
}

// record records the duration of an Lstat.
func (d *directory) record(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fastest == 0 || took < d.fastest {
		d.fastest = took
	}
}

// lacks reports whether a recent listing does not have the name. It counts the call, and lists
// the directory if there were many slow calls.
func (d *directory) lacks(ctx context.Context, h host.Host, name string) bool {
	d.mu.Lock()
	d.lstats++
	l, limit := d.listing, listingBudget*d.fastest
	lists := d.lstats > manyLstats && d.fastest >= slowLstat && (l == nil || l.outdated())
	if lists {
		l = &listing{done: make(chan struct{})}
		d.listing = l
	}
	d.mu.Unlock()
	switch {
	case lists:
		l.read(ctx, h, d.path, limit)
	case l == nil:
		return false
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return false
	}
	return l.has != nil && time.Since(l.at) < listingAge && !l.has[name]
}

// outdated reports whether the listing is too old to be used. A failed listing is never
// outdated, so that the directory is not listed again.
func (l *listing) outdated() bool {
	select {
	case <-l.done:
		return l.has != nil && time.Since(l.at) >= listingAge
	default:
		return false
	}
}

func (l *listing) read(ctx context.Context, h host.Host, dir string, limit time.Duration) {
	defer close(l.done)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l.at = time.Now()
	entries, err := h.ReadDir(ctx, dir)
	if err != nil {
		return
	}
	l.has = make(map[string]bool, len(entries))
	for _, e := range entries {
		l.has[e.Name] = true
	}
}

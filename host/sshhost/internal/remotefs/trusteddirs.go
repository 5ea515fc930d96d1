package remotefs

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// TrustedDirs caches the directories of a host that only root can replace or redirect with a link. An
// operation in them need not check the directories above its path. On a host on which operations
// are not done as root, the *TrustedDirs is nil.
type TrustedDirs struct {
	mu      sync.Mutex
	changes int                  // incremented when an operation may have changed a directory
	known   map[string]time.Time // when the directory and those above it were checked
	linked  map[string]bool      // directories with a symbolic link in their paths
}

const (
	// maxTrustedAge limits how long a change of a directory by another program that runs as root may stay undetected.
	maxTrustedAge = time.Minute
	maxTrusted    = 10_000
)

// Forget removes all trusted directories from the cache. It must be called after an operation that may have
// changed the type or owner of any directory.
func (t *TrustedDirs) Forget() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes++
	t.known = nil
}

// forget is Forget for an operation that may have changed the directory at a path.
func (t *TrustedDirs) forget(changed string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes++
	if _, known := t.known[path.Dir(changed)]; !known { // a link in the path may lead to a known directory
		t.known = nil
		return
	}
	maps.DeleteFunc(t.known, func(dir string, _ time.Time) bool { return host.IsWithin(dir, changed) })
}

// has reports whether the cache has the directory and its check is younger than maxTrustedAge. The caller
// passes changes to add.
func (t *TrustedDirs) has(dir string) (known bool, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.known[dir]
	return known && time.Since(at) < maxTrustedAge, t.changes
}

// add adds a directory that was checked after a call of has, which returned changes. If a
// directory may have changed since, add does nothing.
func (t *TrustedDirs) add(dir string, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if changes != t.changes {
		return
	}
	if t.known == nil || len(t.known) >= maxTrusted {
		t.known = map[string]time.Time{}
	}
	t.known[dir] = time.Now()
}

// TryDirect reports whether an operation should first be tried in a request that checks that there is
// no symbolic link above its path. It returns false if links need no check, if the cache has the directory of
// the path, or if RecordLink was called for a path in the same directory.
func (t *TrustedDirs) TryDirect(ctx context.Context, at string) bool {
	if t == nil || host.FollowsLinks(ctx) {
		return false
	}
	dir := path.Dir(at)
	known, _ := t.has(dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	return dir != "/" && !known && !t.linked[dir]
}

// RecordLink records that there is a symbolic link above a path: TryDirect is then false for paths in the
// same directory.
func (t *TrustedDirs) RecordLink(at string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.linked == nil || len(t.linked) >= maxTrusted {
		t.linked = map[string]bool{}
	}
	t.linked[path.Dir(at)] = true
}

// ResolveParent returns the directory of a path, or a [*host.UnsafeLinkError] if root does not follow
// a symbolic link above the path. If all links may be followed, the result is empty, without a round trip.
//
// Otherwise, ResolveParent takes no round trip for the root directory and for directories in the cache, and at
// least one for each call with another directory. A directory is not cached if users other than root can change
// or replace it, or if its path has a symbolic link.
//
// The protocols have no operation relative to an open directory. A user who replaces a directory
// with a link between this check and the operation can therefore still redirect the operation.
func (f *Files) ResolveParent(ctx context.Context, at string) (host.ResolvedDir, error) {
	if f.trusted == nil || host.FollowsLinks(ctx) {
		return host.ResolvedDir{}, nil
	}
	dir := path.Dir(at)
	known, changes := f.trusted.has(dir)
	if known || dir == "/" {
		return host.ResolvedDir{Dir: dir, Trusted: true}, nil
	}
	resolved, err := host.ResolveDir(dir, func(paths []string) ([]host.FileInfo, error) { return f.lineage(ctx, paths) })
	if unsafe, ok := errors.AsType[*host.UnsafeLinkError](err); ok {
		if unsafe.Owner, err = f.names.UserName(ctx, unsafe.UID); err != nil {
			unsafe.Owner = host.FormatID(unsafe.UID)
		}
		return host.ResolvedDir{}, unsafe
	}
	if err == nil && resolved.Trusted && !resolved.Missing && resolved.Dir == dir {
		f.trusted.add(dir, changes)
	}
	return resolved, err
}

// lineage returns the info of the objects at paths up to and including the first link, with its
// target, or up to the first path that does not exist.
func (f *Files) lineage(ctx context.Context, paths []string) ([]host.FileInfo, error) {
	all, err := f.backend.LstatAll(ctx, paths)
	if err != nil {
		return nil, err
	}
	var found []host.FileInfo
	for i, is := range all {
		info, err := is.FileInfo, is.Err
		link := err == nil && info.Type == host.TypeSymlink
		if link && info.LinkTarget == "" {
			info, err = f.backend.Lstat(ctx, paths[i])
		}
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		if found = append(found, info); link {
			break // the path leads elsewhere
		}
	}
	return found, nil
}

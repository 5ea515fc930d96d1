package remotefs

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Ways caches the directories of a host that only root can replace or redirect with a link. An
// operation in them need not check the directories above its path. On a host on which operations
// are not done as root, it is nil.
type Ways struct {
	mu      sync.Mutex
	changes int                  // incremented when an operation may have changed a way
	known   map[string]time.Time // when the way to the directory was checked
}

const (
	// waysAge limits how long a change of a way by another program of root may stay undetected.
	waysAge = time.Minute
	maxWays = 10_000
)

// Forget must be called after an operation that may have changed the type or owner of any directory.
func (w *Ways) Forget() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes++
	w.known = nil
}

// forget is Forget for an operation that may have changed the directory at a path.
func (w *Ways) forget(changed string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes++
	if _, known := w.known[path.Dir(changed)]; !known { // there may be a link above it, so that it has another path
		w.known = nil
		return
	}
	maps.DeleteFunc(w.known, func(dir string, _ time.Time) bool { return dir == changed || strings.HasPrefix(dir, changed+"/") })
}

// has reports whether the cache has the directory. The caller passes changes to add.
func (w *Ways) has(dir string) (known bool, changes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, known := w.known[dir]
	return known && time.Since(at) < waysAge, w.changes
}

// add adds a directory whose way was checked after a call of has, which returned changes. If a
// way may have changed since, add does nothing.
func (w *Ways) add(dir string, changes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if changes != w.changes {
		return
	}
	if w.known == nil || len(w.known) >= maxWays {
		w.known = map[string]time.Time{}
	}
	w.known[dir] = time.Now()
}

// FindWay returns the way to the directory of a path, or a [*host.UnsafeLinkError] if root does not
// follow a symbolic link on it. The way is empty if all links may be followed.
// It takes one round trip for a new directory, and for each operation if users other than root
// can change the way to the directory.
//
// The protocols have no operation relative to an open directory. A user who replaces a directory
// with a link between this check and the operation can therefore still redirect the operation.
func (f *Files) FindWay(ctx context.Context, at string) (host.Way, error) {
	if f.ways == nil || host.FollowsLinks(ctx) {
		return host.Way{}, nil
	}
	dir := path.Dir(at)
	known, changes := f.ways.has(dir)
	if known || dir == "/" {
		return host.Way{Dir: dir, Trusted: true}, nil
	}
	way, err := host.FindWay(dir, func(paths []string) ([]host.FileInfo, error) { return f.lineage(ctx, paths) })
	if unsafe, ok := errors.AsType[*host.UnsafeLinkError](err); ok {
		if unsafe.Owner, err = f.names.UserName(ctx, unsafe.UID); err != nil {
			unsafe.Owner = strconv.FormatUint(uint64(unsafe.UID), 10)
		}
		return host.Way{}, unsafe
	}
	if err == nil && way.Trusted && !way.Missing && way.Dir == dir {
		f.ways.add(dir, changes)
	}
	return way, err
}

// lineage returns the objects at paths up to and including the first link, which has its
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
			break // the objects after it are not on the way
		}
	}
	return found, nil
}

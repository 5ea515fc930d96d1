package remotefs

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
)

// leftovers is the list of known temporary files. A directory is searched once; after that
// the operations of this process keep the list up to date, so that writing many files to a
// directory costs one search.
type leftovers struct {
	mu     sync.Mutex
	dirs   map[string]*directory
	active map[string]bool // paths of temporary files that this process is writing
}

// directory is the known state of one directory.
type directory struct {
	searched  bool
	searching chan struct{}         // closed when the running search ends; nil if there is none
	found     map[string][]leftover // by the usual temporary name of the target
}

// leftover is a temporary file that was found.
type leftover struct {
	path    string
	certain bool // its writer has certainly ended
}

func (l *leftovers) dir(name string) *directory {
	d := l.dirs[name]
	if d == nil {
		d = &directory{found: map[string][]leftover{}}
		l.dirs[name] = d
	}
	return d
}

// usual returns the key under which the temporary files of a target are listed.
func usual(target string) string { return path.Base(host.TempPath(target, "")) }

// split returns the directory, the key and the variant of the path of a temporary file.
func split(temp string) (dir, key, variant string) {
	dir, name := path.Dir(temp), path.Base(temp)
	suffix := usual("")[1:] // all usual names end with it
	end := strings.LastIndex(name, suffix) + len(suffix)
	return dir, name[:end], strings.TrimPrefix(name[end:], "-")
}

// begin records that a temporary file is being written, until end is called.
func (l *leftovers) begin(temp string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active[temp] = true
}

// end records that a temporary file is no longer being written. Unless it is gone, it is a
// leftover from then on.
func (l *leftovers) end(temp string, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.active, temp)
	if !gone {
		l.add(leftover{temp, true})
	}
}

func (l *leftovers) add(left leftover) {
	dir, key, _ := split(left.path)
	d := l.dir(dir)
	for i, known := range d.found[key] {
		if known.path == left.path {
			d.found[key][i].certain = known.certain || left.certain
			return
		}
	}
	d.found[key] = append(d.found[key], left)
}

// made records a path that a caller created, if the path has the form of [host.TempPath].
func (l *leftovers) made(path string) {
	if host.IsTempPath(path) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.add(leftover{path, true})
	}
}

// moved records a rename, which invalidates the known state of directories at the two paths.
func (l *leftovers) moved(oldPath, newPath string) {
	l.made(newPath)
	l.forget(oldPath)
	l.forget(newPath)
}

// forget drops the known state of a directory and those below it, except those being searched.
func (l *leftovers) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.dirs, func(dir string, d *directory) bool {
		return d.searching == nil && host.IsWithin(dir, name)
	})
}

// take removes the leftovers of a target from the list, and returns them.
func (l *leftovers) take(target string) []leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, key := l.dirs[path.Dir(target)], usual(target)
	if d == nil {
		return nil
	}
	taken := d.found[key]
	delete(d.found, key)
	return taken
}

// keep puts back a leftover that cannot be removed yet.
func (l *leftovers) keep(left leftover) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(left)
}

// search searches a directory unless it has been searched already. It waits for a running search.
func (l *leftovers) search(ctx context.Context, name string, find func(ctx context.Context) ([]string, error)) {
	for {
		l.mu.Lock()
		d := l.dir(name)
		if d.searched {
			l.mu.Unlock()
			return
		}
		if d.searching == nil {
			d.searching = make(chan struct{})
			l.mu.Unlock()
			names, err := find(ctx)
			l.recordSearch(name, d, names, err)
			return
		}
		searching := d.searching
		l.mu.Unlock()
		select {
		case <-searching:
		case <-ctx.Done():
			return
		}
	}
}

// recordSearch records the result of a search. After an error, the directory is searched
// again, unless the user may not list it: a missing directory may be created later.
func (l *leftovers) recordSearch(name string, d *directory, names []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(d.searching)
	d.searching = nil
	d.searched = err == nil || errors.Is(err, fs.ErrPermission)
	for _, found := range names {
		if temp := path.Join(name, found); host.IsTempPath(temp) && !l.active[temp] {
			l.add(leftover{temp, false})
		}
	}
}

// tidying starts a search for leftovers of target in parallel with an operation. The
// returned function waits for the search and, if the operation succeeded, removes the
// leftovers. Errors are ignored.
func (f *Files) tidying(ctx context.Context, target string) func(succeeded bool) {
	dir := path.Dir(target)
	ctx, cancel := context.WithCancel(ctx)
	searched := make(chan struct{})
	go func() {
		defer close(searched)
		f.left.search(ctx, dir, func(ctx context.Context) ([]string, error) { return f.finder.Leftovers(ctx, dir) })
	}()
	return func(succeeded bool) {
		defer cancel()
		if !succeeded {
			cancel()
		}
		<-searched
		if succeeded {
			f.tidy(ctx, target)
		}
	}
}

// tidy removes the leftovers of target that have no writer. Those that may have a writer stay in the
// list, and so do those of a request that failed.
func (f *Files) tidy(ctx context.Context, target string) {
	taken := f.left.take(target)
	if len(taken) == 0 {
		return
	}
	paths := make([]string, len(taken))
	for i, left := range taken {
		paths[i] = left.path
	}
	found, err := f.backend.LstatAll(ctx, paths)
	var remove []string
	for i, left := range taken {
		switch {
		case err != nil:
			f.left.keep(left)
		case found[i].Err != nil, found[i].Type == host.TypeDirectory: // gone or inaccessible, or not a temporary file
		case left.certain || f.isLeft(left.path, found[i].ModTime):
			remove = append(remove, left.path)
		default:
			f.left.keep(left)
		}
	}
	if len(remove) > 0 && f.backend.RemoveAll(ctx, remove) != nil {
		for _, path := range remove {
			f.left.keep(leftover{path, true})
		}
	}
}

// ageByLocalClock replaces [lease.Age] if the host's clock is unknown.
const ageByLocalClock = time.Hour

func (f *Files) isLeft(temp string, modified time.Time) bool {
	if _, _, variant := split(temp); lease.Abandoned(variant) {
		return true
	}
	if skew := f.skew.Load(); skew != nil {
		return time.Now().Add(*skew).Sub(modified) > lease.Age
	}
	return time.Since(modified) > ageByLocalClock
}

// recordClock stores the skew of the host's clock, given the mtime of a file that was just
// written.
func (f *Files) recordClock(modified time.Time) {
	skew := time.Until(modified)
	f.skew.Store(&skew)
}

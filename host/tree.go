package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// TreeReader is a host that tells in few steps what is at many paths below one
// directory.
type TreeReader interface {
	ReadTree(ctx context.Context, root string, q TreeQuery) ([]TreeEntry, error)
}

// TreeQuery says what of a directory is asked for. The directory itself is always
// answered, as ".".
type TreeQuery struct {
	// Paths are asked about: relative to the directory, clean, sorted. Nothing at one
	// is no error: it is not in the answer.
	Paths []string
	// All asks for whatever else is there, too. Depth bounds how deep: with 1 that is
	// what is in the directory itself; 0 is no bound.
	All   bool
	Depth int
	// Digests asks for the SHA-256 of the regular files among Paths; of all that is
	// answered where Paths is nil.
	Digests bool
	// Limit is how many entries there may be; more is [ErrTooMany]. 0 is no bound.
	Limit int
}

// TreeEntry is what is at a path. Its Path is relative to the directory that was
// read, its Owner and Group are known; its ModTime may be in seconds, and its Device 0.
type TreeEntry struct {
	FileInfo
	SHA256 *[sha256.Size]byte // nil where it was not asked for
}

// ErrTooMany is the cause where a directory has more in it than was asked for.
var ErrTooMany = errors.New("there is more in it than may be")

// ReadTree says what is at many paths below a directory, sorted by path. No link is
// followed, neither at root, which must be a directory ([*TypeError]), nor below
// it: what can only be reached through a link is not there. What is changed
// meanwhile is seen as it was at some moment of the reading.
func ReadTree(ctx context.Context, h Host, root string, q TreeQuery) ([]TreeEntry, error) {
	if err := q.check(root); err != nil {
		return nil, &Error{Op: "read", Host: h.Name(), Path: root, Err: err}
	}
	var entries []TreeEntry
	var err error
	if r, ok := h.(TreeReader); ok {
		entries, err = r.ReadTree(ctx, root, q)
	} else {
		entries, err = WalkTree(ctx, h, root, q)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	if q.Limit > 0 && len(entries) > q.Limit {
		return nil, &Error{Op: "read", Host: h.Name(), Path: root, Err: ErrTooMany}
	}
	return entries, nil
}

func (q *TreeQuery) check(root string) error {
	if err := CheckPath(root); err != nil {
		return err
	}
	for i, p := range q.Paths {
		if err := CheckPath("/" + p); err != nil || p == "" || p == "." {
			return &PathError{Path: p, Problem: "is no path below a directory"}
		}
		if i > 0 && q.Paths[i-1] >= p {
			return fmt.Errorf("paths are not sorted: %s comes twice, or too late", QuotePath(p))
		}
	}
	return nil
}

// treeWorkers is how much is asked at a time. A host with a round trip in between
// answers most of it together.
const treeWorkers = 128

// WalkTree is [ReadTree] by the methods that every host has. The order of its
// answer is any.
func WalkTree(ctx context.Context, h Host, root string, q TreeQuery) ([]TreeEntry, error) {
	w := &treeWalk{h: h, root: root, q: q, digests: map[string]bool{}, limit: make(chan struct{}, treeWorkers)}
	info, err := h.Lstat(ctx, root)
	if err != nil {
		return nil, err
	}
	if info.Type != TypeDirectory {
		return nil, &Error{Op: "read", Host: h.Name(), Path: root, Err: &TypeError{Want: TypeDirectory, Got: info.Type}}
	}
	info.Path = "."
	w.entries = []TreeEntry{{FileInfo: info}}
	for _, p := range q.Paths {
		w.digests[p] = q.Digests
	}
	ctx, w.cancel = context.WithCancelCause(ctx)
	defer w.cancel(nil)
	if q.All {
		w.do(func() { w.list(ctx, "", 1) })
		w.wait.Wait()
	}
	w.given(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return w.entries, nil
}

type treeWalk struct {
	h       Host
	root    string
	q       TreeQuery
	digests map[string]bool // of the paths that are asked about, whether of these
	cancel  context.CancelCauseFunc
	limit   chan struct{}
	wait    sync.WaitGroup

	mu      sync.Mutex
	entries []TreeEntry
}

func (w *treeWalk) do(f func()) {
	w.wait.Go(func() {
		w.limit <- struct{}{}
		defer func() { <-w.limit }()
		f()
	})
}

// list reads a directory; everything that is in it is looked at by others.
func (w *treeWalk) list(ctx context.Context, dir string, depth int) {
	if ctx.Err() != nil {
		return
	}
	names, err := w.h.ReadDir(ctx, path.Join(w.root, dir))
	if errors.Is(err, fs.ErrNotExist) && dir != "" {
		return // it has gone meanwhile
	}
	if err != nil {
		w.cancel(err)
		return
	}
	w.mu.Lock()
	tooMany := w.q.Limit > 0 && len(w.entries)+len(names) > w.q.Limit
	w.mu.Unlock()
	if tooMany {
		w.cancel(&Error{Op: "read", Host: w.h.Name(), Path: w.root, Err: ErrTooMany})
		return
	}
	for _, e := range names {
		at := path.Join(dir, e.Name)
		w.do(func() { w.look(ctx, at) })
		if e.Type == TypeDirectory && (w.q.Depth == 0 || depth < w.q.Depth) {
			w.do(func() { w.list(ctx, at, depth+1) })
		}
	}
}

// given looks at the paths that are asked about, where their directories are some.
func (w *treeWalk) given(ctx context.Context) {
	seen, dirs := map[string]bool{}, map[string]bool{".": true}
	for _, e := range w.entries {
		seen[e.Path] = true
		dirs[e.Path] = e.Type == TypeDirectory
	}
	for _, level := range ByDepth(w.q.Paths, func(p string) string { return p }) {
		for _, dir := range parents(level) {
			w.do(func() { w.parent(ctx, dir, dirs) })
		}
		w.wait.Wait()
		for _, p := range level {
			if !seen[p] && dirs[path.Dir(p)] {
				w.do(func() { w.look(ctx, p) })
			}
		}
		w.wait.Wait()
	}
}

// parent finds out whether dir is a directory, by way of directories alone.
func (w *treeWalk) parent(ctx context.Context, dir string, dirs map[string]bool) {
	for at := dir; ; at = path.Dir(at) {
		w.mu.Lock()
		is, known := dirs[at]
		w.mu.Unlock()
		if !known {
			info, err := w.h.Lstat(ctx, path.Join(w.root, at))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.cancel(err)
			}
			is = err == nil && info.Type == TypeDirectory
		}
		w.mu.Lock()
		dirs[at] = is
		if !is {
			dirs[dir] = false
		}
		w.mu.Unlock()
		if !is || at == "." {
			return
		}
	}
}

// look adds what is at a path.
func (w *treeWalk) look(ctx context.Context, p string) {
	if ctx.Err() != nil {
		return
	}
	at := path.Join(w.root, p)
	info, err := w.h.Lstat(ctx, at)
	entry := TreeEntry{FileInfo: info}
	if err == nil && info.Type == TypeRegular && w.q.Digests && (w.q.Paths == nil || w.digests[p]) {
		var sum [sha256.Size]byte
		entry.FileInfo, sum, err = Digest(ctx, w.h, at)
		entry.SHA256 = &sum
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.cancel(err)
		return
	}
	entry.Path = p
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, entry)
}

// ByDepth are things in the order in which directories come before what is in
// them: those with as many slashes together.
func ByDepth[T any](all []T, pathOf func(T) string) [][]T {
	var levels [][]T
	for _, one := range all {
		depth := strings.Count(pathOf(one), "/")
		for len(levels) <= depth {
			levels = append(levels, nil)
		}
		levels[depth] = append(levels[depth], one)
	}
	return levels
}

// parents are the directories of paths, each once.
func parents(paths []string) []string {
	seen := map[string]bool{}
	var dirs []string
	for _, p := range paths {
		if dir := path.Dir(p); !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

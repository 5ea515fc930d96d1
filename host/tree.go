package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// TreeReader is a host that can read many paths below one directory in few steps.
type TreeReader interface {
	ReadTree(ctx context.Context, root string, q TreeQuery) ([]TreeEntry, error)
}

// TreeQuery selects what to read below a directory. The directory itself is always
// included, as ".".
type TreeQuery struct {
	// Paths are the paths to read: relative to the directory, clean, sorted, unique. A path that does not exist
	// is omitted from the result.
	Paths []string
	// All selects everything else as well, down to Depth levels; 1 is the entries of the
	// directory itself, 0 means no limit.
	All   bool
	Depth int
	// Digests adds the SHA-256 of the regular files among Paths, or among all results if Paths
	// is nil.
	Digests bool
	// Limit is the maximum number of entries: [ReadTree] fails with [ErrTooMany] if there are more. 0 means no limit.
	Limit int
}

// TreeEntry is an object in a tree. Its Path is relative to the directory that was read.
// Owner and Group are set; ModTime may be in whole seconds.
type TreeEntry struct {
	FileInfo
	SHA256 *[sha256.Size]byte // nil if not requested, or if the object is not a regular file
}

// ErrTooMany means that a directory has more entries than the limit.
var ErrTooMany = errors.New("the directory has more entries than the limit")

// ErrTreeTooLarge means that the entries of a directory, with their paths and digests, take more memory than an
// implementation permits.
var ErrTreeTooLarge = errors.New("the list of the directory's entries, with their paths and digests, is too large")

// ReadTree returns a directory and the objects below it that q selects, sorted by path. Links are followed
// neither at root, which must be a directory ([*TypeError]), nor below root, so paths through
// a link are omitted. A concurrent change may or may not be seen.
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
			return &PathError{Path: p, Problem: "is not a path below a directory"}
		}
		if i > 0 && q.Paths[i-1] >= p {
			return fmt.Errorf("paths are not sorted and unique: %s is out of order", QuotePath(p))
		}
	}
	return nil
}

// treeWorkers is the maximum number of concurrent requests. A host over SSH combines most of them.
const treeWorkers = 128

// WalkTree is [ReadTree] for hosts without [TreeReader]: it uses only the methods of [Host].
// Its result is not sorted.
func WalkTree(ctx context.Context, h Host, root string, q TreeQuery) ([]TreeEntry, error) {
	w := &treeWalk{h: h, root: root, q: q, digests: map[string]bool{}, listed: 1}
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
	err = context.Cause(ctx)
	if _, named := err.(*Error); err != nil && !named { //nolint:errorlint // a wrapped one can be an error of another operation
		err = &Error{Op: "read", Host: h.Name(), Path: root, Err: err} // of the caller's context, or a panic
	}
	if err != nil {
		return nil, err
	}
	return w.entries, nil
}

type treeWalk struct {
	h       Host
	root    string
	q       TreeQuery
	digests map[string]bool // of the requested paths: whether to compute a digest
	cancel  context.CancelCauseFunc
	wait    sync.WaitGroup

	mu      sync.Mutex
	entries []TreeEntry
	listed  int      // names in the listed directories, and the root
	workers int      // goroutines that are running
	queue   []func() // calls that wait for a goroutine
}

// do calls f in one of at most treeWorkers goroutines. It does not wait: f can call do.
func (w *treeWalk) do(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.workers == treeWorkers {
		w.queue = append(w.queue, f)
		return
	}
	w.workers++
	w.wait.Go(func() {
		for ; f != nil; f = w.next() {
			if err := recovered(func() error { f(); return nil }); err != nil {
				w.cancel(err)
			}
		}
	})
}

// recovered calls do, and returns a panic as an error: a panic in a goroutine other than the caller's, for
// example because of an unexpected reply of a host, would end the process.
func recovered(do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the operation panicked: %v. This is a bug in the provider; please report it with this stack trace:\n%s", fault, debug.Stack())
		}
	}()
	return do()
}

// next removes the last call from the queue and returns it: a depth-first walk keeps the queue short.
// If the queue is empty, next returns nil, and the goroutine ends.
func (w *treeWalk) next() (f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.queue) - 1
	if last < 0 {
		w.workers--
		return nil
	}
	f, w.queue[last] = w.queue[last], nil
	w.queue = w.queue[:last]
	return f
}

// list reads a directory and queues its entries.
func (w *treeWalk) list(ctx context.Context, dir string, depth int) {
	if ctx.Err() != nil {
		return
	}
	names, err := w.h.ReadDir(ctx, path.Join(w.root, dir))
	if errors.Is(err, fs.ErrNotExist) && dir != "" {
		return // it was removed in the meantime
	}
	if err != nil {
		w.cancel(err)
		return
	}
	w.mu.Lock()
	w.listed += len(names)
	tooMany := w.q.Limit > 0 && w.listed > w.q.Limit
	w.mu.Unlock()
	if tooMany {
		w.cancel(&Error{Op: "read", Host: w.h.Name(), Path: w.root, Err: ErrTooMany})
		return
	}
	for _, e := range names {
		at := path.Join(dir, e.Name)
		w.do(func() { w.add(ctx, at) })
		if e.Type == TypeDirectory && (w.q.Depth == 0 || depth < w.q.Depth) {
			w.do(func() { w.list(ctx, at, depth+1) })
		}
	}
}

// given adds the objects at the requested paths whose parents are directories.
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
				w.do(func() { w.add(ctx, p) })
			}
		}
		w.wait.Wait()
	}
}

// parent records in dirs whether dir and all its parents below root are directories.
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

// add adds the object at a path below the root, if the object exists, and its digest if requested.
func (w *treeWalk) add(ctx context.Context, p string) {
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

// ByDepth groups elements by the number of slashes in their paths, so that directories come
// before their contents.
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

// parents returns the parent directories of paths, each once.
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

// TreeWriter is a host that can write many files in few steps.
type TreeWriter interface {
	WriteTree(ctx context.Context, root string, files []TreeFile) error
}

// TreeFile is a file to write.
type TreeFile struct {
	Path string // relative to the root; its directory must exist
	// Attributes must have a Mode. If UID or GID is nil, the file has the ID that the host
	// gives to new files or, if it replaces a file, possibly that file's ID.
	Attributes
	Size int64
	// Open is not called concurrently for the same file, and is called again only if writing
	// starts over. The content must have exactly Size bytes.
	Open func() (io.ReadCloser, error)
}

// WriteTree writes many files below a directory. Each file is replaced in one step, as by
// [Files.WriteFile], in any order. After an error some files may have been written; the
// others are unchanged. An error of a file's Open is wrapped in a [*SourceError]. Only regular files
// are replaced, and no temporary file is left unless the connection breaks. A root must have only one writer at a time.
func WriteTree(ctx context.Context, h Host, root string, files []TreeFile) error {
	if err := checkTree(root, files); err != nil {
		return &Error{Op: "write below", Host: h.Name(), Path: root, Err: err}
	}
	if len(files) == 0 {
		return nil
	}
	if w, ok := h.(TreeWriter); ok {
		return w.WriteTree(ctx, root, files)
	}
	return WriteEach(ctx, h, root, files)
}

func checkTree(root string, files []TreeFile) error {
	if err := CheckPath(root); err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		if err := CheckTarget("/" + f.Path); err != nil {
			return err
		}
		if f.Mode == nil {
			return fmt.Errorf("the file %s has no mode", f.Path)
		}
		if err := f.Attributes.Check(); err != nil {
			return err
		}
	}
	return nil
}

// WriteEach is [WriteTree] for hosts without [TreeWriter]: it uses only the methods of [Host].
func WriteEach(ctx context.Context, h Host, root string, files []TreeFile) error {
	return ForEach(ctx, treeWorkers, files, func(ctx context.Context, f TreeFile) error {
		return f.write(ctx, h, path.Join(root, f.Path))
	})
}

// ForEach calls do for each item, in up to workers goroutines, until a call fails or panics. It
// returns the error of that call, or the cause if ctx ends.
func ForEach[T any](ctx context.Context, workers int, items []T, do func(ctx context.Context, item T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	next := make(chan T)
	for range min(workers, len(items)) {
		wait.Go(func() {
			for item := range next {
				if ctx.Err() == nil {
					if err := recovered(func() error { return do(ctx, item) }); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

func (f *TreeFile) write(ctx context.Context, h Host, at string) error {
	content, err := f.Open()
	if err != nil {
		return &Error{Op: "write", Host: h.Name(), Path: at, Err: &SourceError{Source: "content", Err: err}}
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	_, err = h.WriteFile(ctx, at, f.Content(content), WriteOptions{Attributes: f.Attributes})
	return err
}

// Content returns a reader of r that fails if r does not have exactly Size bytes.
func (f *TreeFile) Content(r io.Reader) io.Reader { return &exactly{r: r, left: f.Size} }

// exactly is a reader of r that fails if r does not have the expected number of bytes.
type exactly struct {
	r    io.Reader
	left int64
}

var errOtherSize = errors.New("unexpected size: the file was changed while it was being read: run the plan or apply again when no program writes it")

func (e *exactly) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	switch {
	case e.left < 0, err == io.EOF && e.left != 0:
		return max(0, n+int(min(e.left, 0))), errOtherSize
	}
	return n, err
}

package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// splitRemovals returns the removals below directories that are replaced, which have to be
// empty first, and the other removals.
func (a *applier) splitRemovals() (below, others []change) {
	replaced := map[string]bool{}
	for _, p := range a.toReplace {
		replaced[p] = true
	}
	for _, c := range a.toRemove {
		at := path.Dir(c.path)
		for at != "." && !replaced[at] {
			at = path.Dir(at)
		}
		if at != "." {
			below = append(below, c)
		} else {
			others = append(others, c)
		}
	}
	return below, others
}

// remove removes objects: directories after their content.
func (a *applier) remove(ctx context.Context, removes []change) error {
	var files, dirs []string
	for _, c := range removes {
		if is := a.before.item(c.path); is.isDir() {
			dirs = append(dirs, c.path)
		} else {
			files = append(files, c.path)
		}
	}
	err := each(ctx, files, func(ctx context.Context, p string) error { return a.removeObject(ctx, p, a.before.item(p).kind) })
	if err != nil {
		return err
	}
	return a.tree.rmdirs(ctx, a.host, dirs)
}

// removeObject removes an object of a known type. A missing object is not an error.
func (a *applier) removeObject(ctx context.Context, p string, kind host.FileType) error {
	var err error
	switch kind {
	case host.TypeDirectory:
		if err = a.host.Rmdir(ctx, a.join(p)); errors.Is(err, host.ErrNotEmpty) {
			return fmt.Errorf("%w. In the source, it is another type of object: delete or move its content", err)
		}
	case host.TypeRegular, host.TypeSymlink:
		err = host.RemoveOnly(ctx, a.host, a.join(p), kind)
	default:
		err = a.host.Remove(ctx, a.join(p))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// destroy removes the files and links of the tree, and the directories that it has created.
// Extra objects are kept, even with purge, because the plan of a destroy does not name them. So
// are objects of another type in the place of the tree's own.
func (t *Tree) destroy(ctx context.Context, h host.Host, known manifest) error {
	var files, dirs []string
	q := host.TreeQuery{}
	for i := range known {
		it := &known[i]
		switch {
		case it.kind == absent, it.extra, it.foreign(), it.isDir() && !it.created:
			continue
		case it.isDir():
			dirs = append(dirs, it.path)
		default:
			files = append(files, it.path)
		}
		if it.path != "." {
			q.Paths = append(q.Paths, it.path)
		}
	}
	found, err := t.readHost(ctx, h, q)
	if err != nil {
		return err
	}
	dirs = slices.DeleteFunc(dirs, func(p string) bool { // a link may point outside of the tree
		is := found.item(p)
		return !is.isDir()
	})
	a := &applier{tree: t, host: h}
	err = each(ctx, files, func(ctx context.Context, p string) error {
		is := found.item(p)
		if was := known.find(p); is.kind == absent || is.isDir() || is.kind != was.kind {
			return nil
		}
		return a.removeObject(ctx, p, is.kind)
	})
	if err != nil {
		return err
	}
	return t.rmdirs(ctx, h, dirs)
}

// rmdirs removes empty directories, the deepest first, and warns about those that are not
// empty.
func (t *Tree) rmdirs(ctx context.Context, h host.Host, dirs []string) (err error) {
	var mu sync.Mutex
	var left []string
	for _, level := range slices.Backward(levels(dirs)) {
		err = errors.Join(err, each(ctx, level, func(ctx context.Context, p string) error {
			err := h.Rmdir(ctx, path.Join(string(t.Path), p))
			switch {
			case errors.Is(err, host.ErrNotEmpty):
				mu.Lock()
				defer mu.Unlock()
				left = append(left, p)
				return nil
			case errors.Is(err, fs.ErrNotExist):
				return nil
			}
			return err
		}))
	}
	if len(left) > 0 && err == nil {
		runtime.Warn(ctx, "", "Directories that are not empty were kept",
			fmt.Sprintf("On host %s, these directories of %s contain objects that the tree has not created: %s.", h.Name(), t.Path, diag.List(quoted(left), maxNamed)))
	}
	return err
}

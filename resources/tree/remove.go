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
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
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
	err := each(ctx, files, func(ctx context.Context, p string) error {
		return a.unlessTaken(ctx, p, func() error { return a.removeObject(ctx, p, a.before.item(p).kind) })
	})
	if err != nil {
		return err
	}
	return a.rmdirs(ctx, dirs)
}

// unlessTaken calls do, which removes an object or schedules its removal, unless another resource has created or
// adopted the object in this run: the object then belongs to that resource, and unlessTaken adds its path to taken.
func (a *applier) unlessTaken(ctx context.Context, p string, do func() error) (err error) {
	taken := false
	switch {
	case p != ".":
		taken, err = a.scope.UnlessCreated(ctx, address.Path(a.join(p)), do)
	case a.scope.IsPart():
		taken = true
	default:
		err = do() // package lifecycle has checked that no other resource created the directory, and holds its lock
	}
	if taken {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.taken = append(a.taken, p)
	}
	return err
}

// warnTaken warns about objects that were not removed because of unlessTaken.
func (a *applier) warnTaken(ctx context.Context) {
	if len(a.taken) == 0 {
		return
	}
	slices.Sort(a.taken)
	runtime.Warn(ctx, "", "Not deleted: other resources manage the objects",
		fmt.Sprintf("On host %s, other resources have created or adopted these objects of %s in this apply: %s. They are kept, and do not belong to the tree.",
			a.host.Name(), a.tree.Path, diag.List(quoted(a.taken), maxNamed)))
}

// removeObject removes an object of a known type. A missing object is not an error.
func (a *applier) removeObject(ctx context.Context, p string, kind host.FileType) error {
	var err error
	switch kind {
	case host.TypeDirectory:
		if err = a.host.Rmdir(ctx, a.join(p)); errors.Is(err, host.ErrNotEmpty) {
			return fmt.Errorf("%w. In the source, this path is not a directory. Delete or move the content of the directory", err)
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
// are objects of another type in the place of the tree's own, and those that other resources have created or
// adopted in this run.
func (t *Tree) destroy(ctx context.Context, scope *lifecycle.Scope, known manifest) error {
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
	found, err := t.readHost(ctx, scope.Host, q)
	if err != nil {
		return err
	}
	dirs = slices.DeleteFunc(dirs, func(p string) bool { // a link may point outside of the tree
		is := found.item(p)
		return !is.isDir()
	})
	a := &applier{tree: t, scope: scope, host: scope.Host}
	err = each(ctx, files, func(ctx context.Context, p string) error {
		is := found.item(p)
		if was := known.find(p); is.kind == absent || is.isDir() || is.kind != was.kind {
			return nil
		}
		return a.unlessTaken(ctx, p, func() error { return a.removeObject(ctx, p, is.kind) })
	})
	if err == nil {
		err = a.rmdirs(ctx, dirs)
	}
	if err != nil {
		return err
	}
	a.warnTaken(ctx)
	return nil
}

// rmdirs removes empty directories, the deepest first, and warns about those that are not
// empty.
func (a *applier) rmdirs(ctx context.Context, dirs []string) (err error) {
	var mu sync.Mutex
	var left []string
	for _, level := range slices.Backward(levels(dirs)) {
		err = errors.Join(err, each(ctx, level, func(ctx context.Context, p string) error {
			err := a.unlessTaken(ctx, p, func() error { return a.host.Rmdir(ctx, a.join(p)) })
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
			fmt.Sprintf("On host %s, these directories of %s contain objects that the tree has not created: %s.", a.host.Name(), a.tree.Path, diag.List(quoted(left), maxNamed)))
	}
	return err
}

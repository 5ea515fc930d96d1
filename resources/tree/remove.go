package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// split separates removals inside directories that are replaced by other objects, which
// must be done first, from the others.
func (a *applying) split() (below, others []change) {
	replaced := map[string]bool{}
	for _, p := range a.replaces {
		replaced[p] = true
	}
	for _, c := range a.removes {
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

// discard removes objects, directories after their contents.
func (a *applying) discard(ctx context.Context, removes []change) error {
	var files, dirs []string
	for _, c := range removes {
		if is := a.before.item(c.path); is.dir() {
			dirs = append(dirs, c.path)
		} else {
			files = append(files, c.path)
		}
	}
	err := each(ctx, files, func(ctx context.Context, p string) error { return a.drop(ctx, p, a.before.item(p).kind) })
	if err == nil {
		_, err = rmdirs(ctx, a.h, a.t.Path, dirs)
	}
	return err
}

// drop removes an object of a type.
func (a *applying) drop(ctx context.Context, p string, kind host.FileType) error {
	var err error
	switch kind {
	case host.TypeDirectory:
		if err = a.h.Rmdir(ctx, a.at(p)); errors.Is(err, host.ErrNotEmpty) {
			return fmt.Errorf("%w. In the source, it is another type of object: delete or move its content", err)
		}
	case host.TypeRegular, host.TypeSymlink:
		err = host.RemoveOnly(ctx, a.h, a.at(p), kind)
	default:
		err = a.h.Remove(ctx, a.at(p))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// remove removes the objects of a tree and, with purge, the known extra ones. Objects whose
// type has changed are kept, because another user created them.
func (t *Tree) remove(ctx context.Context, h host.Host, known manifest) error {
	var files, dirs []string
	q := host.TreeQuery{}
	for i := range known {
		it := &known[i]
		switch {
		case it.kind == absent, it.extra && !t.purges(), it.dir() && !it.made && !it.extra:
			continue
		case it.dir():
			dirs = append(dirs, it.path)
		default:
			files = append(files, it.path)
		}
		if it.path != "." {
			q.Paths = append(q.Paths, it.path)
		}
	}
	found, err := t.look(ctx, h, q)
	if err != nil {
		return err
	}
	dirs = slices.DeleteFunc(dirs, func(p string) bool { // a link could lead out of the tree
		is := found.item(p)
		return !is.dir()
	})
	a := &applying{t: t, h: h}
	err = each(ctx, files, func(ctx context.Context, p string) error {
		is := found.item(p)
		if was := known.find(p); is.kind == absent || is.dir() || is.kind != was.kind && !was.extra {
			return nil
		}
		return a.drop(ctx, p, is.kind)
	})
	if err != nil {
		return err
	}
	left, err := rmdirs(ctx, h, t.Path, dirs)
	if len(left) > 0 && err == nil {
		runtime.Warn(ctx, "", "Directories that are not empty were kept",
			fmt.Sprintf("On host %s, these directories of %s have files of others in them: %s.", h.Name(), t.Path, strings.Join(first(quoted(left)), ", ")))
	}
	return err
}

// rmdirs removes empty directories, deepest first, and returns those that are not empty.
func rmdirs(ctx context.Context, h host.Host, root address.Path, dirs []string) (left []string, err error) {
	var mu sync.Mutex
	byDepth := levels(dirs)
	if slices.Contains(dirs, ".") {
		byDepth = slices.Insert(byDepth, 0, []string{"."})
	}
	for _, level := range slices.Backward(byDepth) {
		err = errors.Join(err, each(ctx, level, func(ctx context.Context, p string) error {
			err := h.Rmdir(ctx, path.Join(string(root), p))
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
	return left, err
}

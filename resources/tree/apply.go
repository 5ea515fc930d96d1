package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// applying is the state of an apply.
type applying struct {
	t      *Tree
	h      host.Host
	plan   *plan
	attrs  host.Attributes // owner of all objects
	before there           // objects on the host before the apply
	begun  manifest        // directories that a failed create made

	replaces []string // objects of another type, to be removed first
	dirs     []string
	files    []host.TreeFile
	links    []string // links with another target
	settles  []string // objects whose mode or owner differs
	removes  []change
}

// prepare reads the host and determines the changes. An object that is neither as in the
// plan nor as desired is an error, and nothing is changed.
func (a *applying) prepare(ctx context.Context, create bool) error {
	w, err := a.t.wish(a.attrs, !create)
	if err != nil {
		return err
	}
	q := a.t.wanted(a.plan.source)
	for _, c := range a.plan.changes {
		if c.op == '-' {
			a.removes = append(a.removes, c)
			q.Paths = append(q.Paths, c.path)
		}
	}
	slices.Sort(q.Paths)
	if a.before, err = a.t.look(ctx, a.h, q); err != nil {
		return err
	}
	if create {
		if _, err := a.t.adoptable(ctx, a.h, a.plan.source, a.before, a.attrs); err != nil {
			return err
		}
	}
	var moved []string
	for i := range a.plan.source.items {
		it := &a.plan.source.items[i]
		is := a.before.item(it.path)
		exact := a.exact(it)
		if is.kind == it.kind && exact && w.differs(it, &is) == "" {
			continue
		}
		if !create && !a.asPlanned(it, &is, exact) {
			moved = append(moved, it.path)
		}
		a.add(it, &is, exact)
	}
	a.removes = slices.DeleteFunc(a.removes, func(c change) bool {
		is := a.before.item(c.path)
		if was := a.plan.seen.find(c.path); is.kind != absent && was != nil && (is.kind != was.kind || !was.extra && is.sum != was.sum) {
			moved = append(moved, c.path)
		}
		return is.kind == absent
	})
	if len(moved) > 0 {
		return fmt.Errorf("%s on host %s was changed after the plan was made: %s. Nothing was done. Plan and apply again, so that a plan shows it",
			a.t.Path, a.h.Name(), strings.Join(first(quoted(moved)), ", "))
	}
	return nil
}

func quoted(paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = quote(p)
	}
	return all
}

// exact reports whether the object has the content of the source, by its complete digest.
func (a *applying) exact(it *item) bool {
	entry := a.before[it.path]
	switch {
	case entry == nil:
		return false
	case it.kind == host.TypeRegular:
		return entry.SHA256 != nil && *entry.SHA256 == a.plan.source.sums[it.path]
	case it.kind == host.TypeSymlink:
		return entry.LinkTarget == a.plan.source.targets[it.path]
	}
	return true
}

// asPlanned reports whether the object is as in the plan. An object that appeared since
// with the desired content is adopted.
func (a *applying) asPlanned(it, is *item, exact bool) bool {
	if a.plan.seen == nil || is.kind == it.kind && (exact && !it.dir() || a.t.overwrites()) {
		return true
	}
	was := a.plan.seen.find(it.path)
	if was == nil || was.kind == absent {
		return is.kind == absent
	}
	if was.extra {
		return is.kind == was.kind
	}
	return is.kind == absent || is.kind == was.kind && is.sum == was.sum && is.mode == was.mode
}

// add records the changes for one path.
func (a *applying) add(it, is *item, exact bool) {
	same := is.kind == it.kind
	if !same && is.kind != absent {
		a.replaces = append(a.replaces, it.path)
	}
	switch {
	case it.dir() && !same:
		a.dirs = append(a.dirs, it.path)
	case it.dir(), same && exact:
		a.settles = append(a.settles, it.path)
	case it.kind == host.TypeSymlink:
		a.links = append(a.links, it.path)
	default:
		attrs := a.attrs
		if same { // the same as WriteFile, for every way of writing
			attrs.UID, attrs.GID = or(attrs.UID, is.uid), or(attrs.GID, is.gid)
		}
		attrs.Mode = &it.mode
		a.files = append(a.files, host.TreeFile{
			Path: it.path, Attributes: attrs, Size: it.size,
			Open: func() (io.ReadCloser, error) { return a.plan.source.open(it.path) },
		})
	}
}

func or(n *uint32, other uint32) *uint32 {
	if n == nil {
		return &other
	}
	return n
}

// run applies the changes. Directories are created before their contents, and removed after
// them.
func (a *applying) run(ctx context.Context) error {
	below, others := a.split()
	if err := a.discard(ctx, below); err != nil {
		return err
	}
	slices.Reverse(a.replaces) // deepest first
	for _, p := range a.replaces {
		if err := a.drop(ctx, p, a.before.item(p).kind); err != nil {
			return err
		}
	}
	if err := a.mkdirs(ctx); err != nil {
		return err
	}
	if err := a.write(ctx); err != nil {
		return err
	}
	err := each(ctx, a.links, a.link)
	if err == nil {
		err = each(ctx, a.settles, a.settle)
	}
	if err != nil {
		return err
	}
	return a.discard(ctx, others)
}

func (a *applying) at(p string) string { return path.Join(string(a.t.Path), p) }

// mkdirs creates directories, those of the same depth concurrently.
func (a *applying) mkdirs(ctx context.Context) error {
	attrs := a.attrs
	attrs.Mode = &a.t.DirectoryMode
	mkdir := func(ctx context.Context, p string) error {
		_, err := a.h.Mkdir(ctx, a.at(p), attrs)
		return err
	}
	if len(a.dirs) > 0 && a.dirs[0] == "." {
		err := hostpath.InDirectory(ctx, a.h, a.t.Path, a.t.Parents, func() error { return mkdir(ctx, ".") })
		if err != nil {
			return hostpath.Explain(a.h, a.t.Path, host.TypeDirectory, err)
		}
	}
	for _, level := range levels(a.dirs) {
		if err := each(ctx, level, mkdir); err != nil {
			return err
		}
	}
	return nil
}

// levels returns the paths below the root, grouped by depth.
func levels(paths []string) [][]string {
	below := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "." })
	return host.ByDepth(below, func(p string) string { return p })
}

func (a *applying) write(ctx context.Context) error {
	err := host.WriteTree(ctx, a.h, string(a.t.Path), a.files)
	if source, is := errors.AsType[*host.SourceError](err); is {
		return fmt.Errorf("%s on host %s: %w. Files that were not written yet are as they were", a.t.Path, a.h.Name(), source.Err)
	}
	return err
}

func (a *applying) link(ctx context.Context, p string) error {
	to := a.plan.source.targets[p]
	is, attrs := a.before.item(p), a.attrs
	var info host.FileInfo
	var err error
	if is.kind == host.TypeSymlink {
		info, err = a.h.ReplaceSymlink(ctx, to, a.at(p))
		// A target can only be changed by a new link. It keeps the owner, like a replaced
		// file.
		attrs.UID, attrs.GID = or(attrs.UID, is.uid), or(attrs.GID, is.gid)
	} else {
		info, err = a.h.Symlink(ctx, to, a.at(p))
	}
	if err != nil || !access.Differs(info, attrs) {
		return err
	}
	_, err = a.h.SetAttributes(ctx, a.at(p), attrs)
	return err
}

// settle sets mode and owner of an object whose content is as desired.
func (a *applying) settle(ctx context.Context, p string) error {
	attrs := a.attrs
	if it := a.plan.source.items.find(p); it.kind != host.TypeSymlink {
		attrs.Mode = &it.mode
	}
	_, err := a.h.SetAttributes(ctx, a.at(p), attrs)
	return err
}

// workers limits concurrent small operations.
const workers = 64

// each calls do for each path concurrently, until one fails.
func each(ctx context.Context, paths []string, do func(ctx context.Context, p string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	next := make(chan string)
	for range min(workers, len(paths)) {
		wait.Go(func() {
			for p := range next {
				if ctx.Err() == nil {
					if err := do(ctx, p); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	for _, p := range paths {
		next <- p
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

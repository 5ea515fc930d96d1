package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/mounttable"
)

// applier makes the directory on the host equal to the planned source.
type applier struct {
	tree       *Tree
	scope      *lifecycle.Scope
	host       host.Host
	plan       *plan
	attrs      host.Attributes // owner and group of all objects
	before     hostEntries     // objects before the apply
	unfinished manifest        // objects that failed creates made
	imported   bool            // the state has no source yet

	toOpen          []string // directories whose content their owner cannot change until their mode is set
	toReplace       []string // objects whose type is not the planned one, removed before new objects are made
	toMkdir         []string
	toWrite         []host.TreeFile
	toLink          []string // links that are new or have a different target
	toSetAttributes []string // objects of which only the attributes differ
	toRemove        []change

	mu    sync.Mutex
	taken []string // paths that are not removed: see unlessTaken
}

// prepare records the objects of the source as parts of the tree, so that resources that have managed them until now
// do not delete them in this run, and schedules the changes. After an error, nothing was changed.
func (a *applier) prepare(ctx context.Context, create bool) error {
	var parts []lifecycle.Key
	for i := range a.plan.source.items {
		if p := a.plan.source.items[i].path; p != "." {
			parts = append(parts, lifecycle.Key(a.join(p)))
		}
	}
	err := a.scope.RecordParts(ctx, parts)
	if err == nil {
		err = a.scheduleAll(ctx, create)
	}
	if err != nil {
		a.scope.ForgetParts()
	}
	return err
}

// scheduleAll reads the directory and schedules the changes. It returns an error
// for an object that exists and is neither as it was when the plan was made nor as
// planned, and for an object that the plan did not read and that cannot be adopted.
func (a *applier) scheduleAll(ctx context.Context, create bool) error {
	d, err := a.tree.desired(a.attrs, !create)
	if err != nil {
		return err
	}
	q := a.tree.query(a.plan.source)
	for _, c := range a.toRemove {
		q.Paths = append(q.Paths, c.path)
	}
	slices.Sort(q.Paths)
	if a.before, err = a.tree.readHost(ctx, a.host, q); err != nil {
		return err
	}
	unread := a.unread(d, create)
	if _, err := a.tree.checkAdoptable(ctx, a.scope, a.plan, unread, a.attrs, create); err != nil {
		return err
	}
	var changedSince []string
	for i := range a.plan.source.items {
		it := &a.plan.source.items[i]
		is := a.before.item(it.path)
		exact := a.hasContent(it)
		if is.kind == it.kind && exact && d.differences(it, &is) == "" {
			continue
		}
		was := a.plan.observed.find(it.path)
		if (was != nil || unread[it.path] == nil) && !matchesPlan(it, was, &is, exact) {
			changedSince = append(changedSince, it.path)
		}
		a.schedule(it, &is, exact)
	}
	var due []change
	for _, c := range a.toRemove {
		err := a.unlessTaken(ctx, c.path, func() error {
			is := a.before.item(c.path)
			if was := a.plan.observed.find(c.path); is.kind != absent && was != nil && (is.kind != was.kind || !was.extra && is.sum != was.sum) {
				changedSince = append(changedSince, c.path)
			}
			if is.kind != absent {
				due = append(due, c)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	a.toRemove = due
	if len(changedSince) > 0 {
		return fmt.Errorf("%s on host %s was changed after the plan was made: %s. Nothing was written. Plan and apply again",
			a.tree.Path, a.host.Name(), diag.List(quoted(changedSince), maxNamed))
	}
	return a.checkMounts(ctx)
}

// checkMounts returns an error if purge would remove a mount point below the path, or the content of the
// file system there, or if it cannot read the mount points. A host with SFTP only does not report mount points:
// checkMounts then returns nil.
func (a *applier) checkMounts(ctx context.Context) error {
	if !a.tree.purges() || len(a.toRemove) == 0 {
		return nil
	}
	mounts, err := mounttable.Below(ctx, a.host, string(a.tree.Path))
	switch {
	case errors.Is(err, mounttable.ErrNotRun) && ctx.Err() == nil && lifecycle.ConnectionError(err) == nil:
		return nil
	case err != nil:
		return fmt.Errorf("nothing was written, because purge must not remove the content of other file systems, and it is unknown "+
			"whether any are mounted in %s on host %s: %w. Remove the objects by hand, or set purge = false", a.tree.Path, a.host.Name(), err)
	}
	mounts = slices.DeleteFunc(mounts, func(mount string) bool { return mount == string(a.tree.Path) })
	for _, c := range a.toRemove {
		at := a.join(c.path)
		for _, mount := range mounts {
			if host.IsWithin(at, mount) {
				return diag.AttributeErrorf("purge", "%s on host %s is a mount point, and purge does not remove the content of other file systems. "+
					"Nothing was written. Exclude the mount point, or unmount it and apply again", host.QuotePath(mount), a.host.Name())
			}
		}
	}
	return nil
}

// unread returns the objects that a plan does not read unless they are in the state. With purge,
// the plan of an update reads everything except excluded objects, temporary files, and directories that
// contain either.
func (a *applier) unread(d desired, create bool) hostEntries {
	if create || !d.purge {
		return a.before
	}
	unread := maps.Clone(a.before)
	for _, it := range a.before.extras(nil, d.ignored) {
		delete(unread, it.path)
	}
	return unread
}

func quoted(paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = quote(p)
	}
	return all
}

// hasContent reports whether the object has the content or the target of the source. It
// compares whole digests.
func (a *applier) hasContent(it *item) bool {
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

// matchesPlan reports whether the object is missing, is as it was when the plan was made, or is a
// file or link that already has the planned content and is adopted, as on create.
func matchesPlan(it, was, is *item, exact bool) bool {
	if is.kind == it.kind && exact && !it.isDir() {
		return true
	}
	if was == nil || was.kind == absent {
		return is.kind == absent
	}
	if was.extra {
		return is.kind == was.kind
	}
	return is.kind == absent || is.kind == was.kind && is.sum == was.sum && is.mode == was.mode
}

// schedule records how one path changes.
func (a *applier) schedule(it, is *item, exact bool) {
	same := is.kind == it.kind
	if !same && is.kind != absent {
		a.toReplace = append(a.toReplace, it.path)
	}
	switch {
	case it.isDir() && !same:
		a.toMkdir = append(a.toMkdir, it.path)
	case it.isDir() && it.mode&^is.mode&0o300 != 0:
		a.toOpen = append(a.toOpen, it.path)
	case it.isDir(), same && exact:
		a.toSetAttributes = append(a.toSetAttributes, it.path)
	case it.kind == host.TypeSymlink:
		a.toLink = append(a.toLink, it.path)
	default:
		attrs := a.attrs
		if same { // keep the owner, as WriteFile does
			attrs.UID, attrs.GID = cmp.Or(attrs.UID, &is.uid), cmp.Or(attrs.GID, &is.gid)
		}
		attrs.Mode = &it.mode
		a.toWrite = append(a.toWrite, host.TreeFile{
			Path: it.path, Attributes: attrs, Size: it.size,
			Open: func() (io.ReadCloser, error) { return a.plan.source.open(it.path) },
		})
	}
}

// run makes the scheduled changes. A directory is made before its content, and removed
// after it. A directory that its owner cannot change gets its mode before its content changes.
func (a *applier) run(ctx context.Context) error {
	if err := eachDirectory(ctx, a.toOpen, a.setAttributes); err != nil {
		return err
	}
	below, others := a.splitRemovals()
	if err := a.remove(ctx, below); err != nil {
		return err
	}
	slices.Reverse(a.toReplace) // deepest first
	for _, p := range a.toReplace {
		if err := a.removeObject(ctx, p, a.before.item(p).kind); err != nil {
			return err
		}
	}
	if err := a.mkdirs(ctx); err != nil {
		return err
	}
	if err := a.write(ctx); err != nil {
		return err
	}
	err := each(ctx, a.toLink, a.link)
	if err == nil {
		err = each(ctx, a.toSetAttributes, a.setAttributes)
	}
	if err != nil {
		return err
	}
	if err := a.remove(ctx, others); err != nil {
		return err
	}
	a.warnTaken(ctx)
	return nil
}

func (a *applier) join(p string) string { return path.Join(string(a.tree.Path), p) }

// mkdirs makes directories, all of one depth concurrently.
func (a *applier) mkdirs(ctx context.Context) error {
	attrs := a.attrs
	attrs.Mode = &a.tree.DirectoryMode
	mkdir := func(ctx context.Context, p string) error {
		_, err := a.host.Mkdir(ctx, a.join(p), attrs)
		return err
	}
	return eachDirectory(ctx, a.toMkdir, func(ctx context.Context, p string) error {
		if p != "." {
			return mkdir(ctx, p)
		}
		err := hostpath.InDirectory(ctx, a.host, a.tree.Path, a.tree.Parents, func() error { return mkdir(ctx, p) })
		return hostpath.Explain(a.host, a.tree.Path, host.TypeDirectory, err)
	})
}

// eachDirectory calls do for each directory, concurrently for all of one depth, the root first.
func eachDirectory(ctx context.Context, dirs []string, do func(ctx context.Context, p string) error) error {
	for _, level := range levels(dirs) {
		if err := each(ctx, level, do); err != nil {
			return err
		}
	}
	return nil
}

// levels groups paths by depth, the root first.
func levels(paths []string) [][]string {
	below := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "." })
	byDepth := host.ByDepth(below, func(p string) string { return p })
	if len(below) < len(paths) {
		byDepth = slices.Insert(byDepth, 0, []string{"."})
	}
	return byDepth
}

func (a *applier) write(ctx context.Context) error {
	err := host.WriteTree(ctx, a.host, string(a.tree.Path), a.toWrite)
	if source, is := errors.AsType[*host.SourceError](err); is {
		return fmt.Errorf("%s on host %s: %w. Files that were not written yet are unchanged", a.tree.Path, a.host.Name(), source.Err)
	}
	return err
}

func (a *applier) link(ctx context.Context, p string) error {
	to := a.plan.source.targets[p]
	is, attrs := a.before.item(p), a.attrs
	var info host.FileInfo
	var err error
	if is.kind == host.TypeSymlink {
		info, err = a.host.ReplaceSymlink(ctx, to, a.join(p), nil)
		// The new link keeps the owner of the link that it replaces, as a
		// file does.
		attrs.UID, attrs.GID = cmp.Or(attrs.UID, &is.uid), cmp.Or(attrs.GID, &is.gid)
	} else {
		info, err = a.host.Symlink(ctx, to, a.join(p))
	}
	if err == nil {
		_, err = access.Set(ctx, a.host, info, attrs)
	}
	return err
}

// setAttributes sets the owner and group of an object and, unless the object is a link, its mode.
func (a *applier) setAttributes(ctx context.Context, p string) error {
	attrs, it := a.attrs, a.plan.source.items.find(p)
	if it.kind != host.TypeSymlink {
		attrs.Mode = &it.mode
	}
	_, err := a.host.SetAttributes(ctx, a.join(p), it.kind, attrs)
	return err
}

// workers is the maximum number of calls that the function each makes concurrently.
const workers = 64

// each calls do for each path concurrently, until a call fails.
func each(ctx context.Context, paths []string, do func(ctx context.Context, p string) error) error {
	return host.ForEach(ctx, workers, paths, do)
}

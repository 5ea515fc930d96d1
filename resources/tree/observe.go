package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Keys of private data: owning has the owners whose drift is detected; attended shows that
// the client has sent private data: see Delete.
const (
	attended  = "attended"
	owning    = "owning"
	ownsUser  = 'u'
	ownsGroup = 'g'
)

// claimed reports whether the state has a source, which is not so after an import.
func (t *Tree) claimed() bool { return t.Source != "" }

// there are the objects on the host, by path.
type there map[string]*host.TreeEntry

// look reads the queried paths, and everything else if all is set. A root that does not
// exist counts as empty.
func (t *Tree) look(ctx context.Context, h host.Host, q host.TreeQuery) (there, error) {
	q.Limit = 2 * maxItems
	entries, err := host.ReadTree(ctx, h, string(t.Path), q)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return there{}, nil
	case errors.Is(err, host.ErrTooMany):
		return nil, diag.AttributeErrorf("path", "%s on host %s has more than %d files in it, which is too much for one tree. "+
			"Take a directory below it", t.Path, h.Name(), q.Limit)
	case err != nil:
		return nil, hostpath.Explain(h, t.Path, host.TypeDirectory, err)
	}
	found := make(there, len(entries))
	for i := range entries {
		found[entries[i].Path] = &entries[i]
	}
	return found, nil
}

// item returns the object at a path as an item of a manifest.
func (f there) item(path string) item {
	entry := f[path]
	if entry == nil {
		return item{path: path, kind: absent}
	}
	it := item{path: path, kind: entry.Type, mode: entry.Mode, uid: entry.UID, gid: entry.GID}
	switch entry.Type {
	case host.TypeRegular:
		it.size = entry.Size
		if entry.SHA256 != nil {
			it.sum = traceOf(*entry.SHA256)
		}
	case host.TypeSymlink:
		it.mode, it.sum = 0, traceOf(sha256.Sum256([]byte(entry.LinkTarget)))
	}
	return it
}

// extras returns the objects that are not in a manifest, without ignored ones and their
// directories, and without leftovers of an interrupted transfer.
func (f there) extras(m manifest, ignored glob.Patterns) manifest {
	var found manifest
	holds := map[string]bool{}
	for p, entry := range f {
		if m.find(p) != nil {
			continue
		}
		if ignored.Covers(p, entry.Type == host.TypeDirectory) || temporary(p) {
			for at := path.Dir(p); at != "."; at = path.Dir(at) {
				holds[at] = true
			}
			continue
		}
		it := f.item(p)
		it.extra, it.sum = true, trace{}
		found = append(found, it)
	}
	var kept manifest
	for _, it := range found {
		if !holds[it.path] {
			kept = append(kept, it)
		}
	}
	return kept
}

// temporary reports whether a path is that of a temporary file or directory.
func temporary(p string) bool {
	for name := range strings.SplitSeq(p, "/") {
		if host.IsTempPath(name) {
			return true
		}
	}
	return false
}

// Read is part of [runtime.TypedResource]. It reads the host with one operation.
func (t *Tree) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	known, err := prior.recorded()
	if err != nil {
		return nil, err
	}
	q := host.TreeQuery{Digests: true, All: true}
	if t.claimed() {
		q = known.query(t.purges())
	}
	found, err := t.look(ctx, h, q)
	if err != nil {
		return nil, err
	}
	if found["."] == nil {
		return nil, runtime.ErrNotFound
	}
	m, err := t.observed(found, known)
	if err != nil {
		return nil, err
	}
	out := &Output{Added: prior.Added, Changed: prior.Changed, Removed: prior.Removed, Changes: prior.Changes, Unfinished: prior.Unfinished}
	if out.Changes == nil {
		out.Changes = []string{}
	}
	if t.claimed() {
		t.memory.see(h.Name(), t.Path, nil)
	} else {
		t.memory.see(h.Name(), t.Path, m)
	}
	return out, t.output(ctx, h, out, found, m)
}

// query returns the query for the items of a manifest that are not extra.
func (m manifest) query(all bool) host.TreeQuery {
	q := host.TreeQuery{Paths: []string{}, Digests: true, All: all}
	for i := range m {
		if !m[i].extra && m[i].path != "." {
			q.Paths = append(q.Paths, m[i].path)
		}
	}
	return q
}

// observed returns the current state of known objects, with new extras if they matter.
func (t *Tree) observed(found there, known manifest) (manifest, error) {
	var m manifest
	if t.claimed() {
		m = append(m, found.item("."))
		for i := range known {
			if it := &known[i]; !it.extra && it.path != "." {
				now := found.item(it.path)
				now.made = it.made && now.dir()
				m = append(m, now)
			}
		}
		if root := known.find("."); root != nil {
			m[0].made = root.made
		}
		m.sort()
		if t.purges() {
			ignored, err := glob.ParseAll(t.Exclude)
			if err != nil {
				return nil, err
			}
			m = append(m, found.extras(m, ignored)...)
		}
	} else {
		for p := range found {
			if temporary(p) {
				continue
			}
			it := found.item(p)
			was := known.find(p)
			it.made, it.extra = it.dir(), known != nil && (was == nil || was.extra) // it was added after the import
			m = append(m, it)
		}
	}
	m.sort()
	return m, nil
}

// output sets the outputs for the objects that were read.
func (t *Tree) output(ctx context.Context, h host.Host, out *Output, found there, m manifest) (err error) {
	m.count(out)
	out.Record = m.text()
	out.Host, out.Path, out.Source = new(h.Name()), t.Path, t.Source
	root := found["."]
	owner, group := root.FileInfo, root.FileInfo
	owns := runtime.Private(ctx).Get(owning)
	attrs, err := access.Resolve(ctx, h, t.DirectoryMode, t.Owner, t.Group)
	if err != nil {
		owns = nil // the account no longer exists, so the current owner is shown
	}
	users, groups := slices.Contains(owns, ownsUser), slices.Contains(owns, ownsGroup)
	for i := range m {
		entry := found[m[i].path]
		if entry == nil || m[i].extra {
			continue
		}
		if users && attrs.OtherUser(entry.UID) && !attrs.OtherUser(owner.UID) {
			owner = entry.FileInfo
		}
		if groups && attrs.OtherGroup(entry.GID) && !attrs.OtherGroup(group.GID) {
			group = entry.FileInfo
		}
	}
	if out.Owner, err = access.Owner(ctx, h, t.Owner, owner); err != nil {
		return err
	}
	out.Group, err = access.Group(ctx, h, t.Group, group)
	return err
}

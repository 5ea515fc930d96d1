package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
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

// Keys and values of private data. It records which of owner and group are configured, because
// only those are compared, and that private data was kept: see Delete.
const (
	appliedKey = "attended"
	ownersKey  = "owning"
	ownsUser   = 'u'
	ownsGroup  = 'g'
)

// hasSource reports whether the source is set. In the state of an imported tree, the source
// is empty until the first apply.
func (t *Tree) hasSource() bool { return t.Source != "" }

var errNoSource = diag.AttributeErrorf("source", "source must not be empty. Use an absolute path or start with ${path.module}/")

// hostEntries are the objects on the host, by path.
type hostEntries map[string]*host.TreeEntry

// readHost reads the objects that the query selects. If the root does not exist, the
// result is empty.
func (t *Tree) readHost(ctx context.Context, h host.Host, q host.TreeQuery) (hostEntries, error) {
	q.Limit = 2 * maxItems
	entries, err := host.ReadTree(ctx, h, string(t.Path), q)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hostEntries{}, nil
	case errors.Is(err, host.ErrTooMany):
		return nil, diag.AttributeErrorf("path", "%s on host %s has more than %d objects, the limit for the directory of a tree. "+
			"Use one of its subdirectories", t.Path, h.Name(), q.Limit)
	case errors.Is(err, host.ErrTreeTooLarge):
		return nil, diag.AttributeErrorf("path", "%w. Use several trees, each for one subdirectory", err)
	case err != nil:
		return nil, hostpath.Explain(h, t.Path, host.TypeDirectory, err)
	}
	found := make(hostEntries, len(entries))
	for i := range entries {
		found[entries[i].Path] = &entries[i]
	}
	return found, nil
}

// item returns the item for a path. Its type is absent if there is no object.
func (f hostEntries) item(path string) item {
	entry := f[path]
	if entry == nil {
		return item{path: path, kind: absent}
	}
	it := item{path: path, kind: entry.Type, mode: entry.Mode, uid: entry.UID, gid: entry.GID}
	switch entry.Type {
	case host.TypeRegular:
		it.size = entry.Size
		if entry.SHA256 != nil {
			it.sum = newShortDigest(*entry.SHA256)
		}
	case host.TypeSymlink:
		it.mode, it.sum = 0, newShortDigest(sha256.Sum256([]byte(entry.LinkTarget)))
	}
	return it
}

// extras returns the objects that the manifest does not have, except ignored ones, temporary
// files, and directories that contain either.
func (f hostEntries) extras(m manifest, ignored glob.Patterns) manifest {
	var found manifest
	holds := map[string]bool{}
	for p, entry := range f {
		if m.find(p) != nil {
			continue
		}
		if ignored.Covers(p, entry.Type == host.TypeDirectory) || isTemporary(p) {
			for at := path.Dir(p); at != "."; at = path.Dir(at) {
				holds[at] = true
			}
			continue
		}
		it := f.item(p)
		it.extra, it.sum = true, shortDigest{}
		found = append(found, it)
	}
	return slices.DeleteFunc(found, func(it item) bool { return holds[it.path] })
}

// isTemporary reports whether a path is, or is in, a temporary file or directory of the provider.
func isTemporary(p string) bool {
	for name := range strings.SplitSeq(p, "/") {
		if host.IsTempPath(name) {
			return true
		}
	}
	return false
}

// Read implements [runtime.TypedResource]. It reads all objects with one request.
func (t *Tree) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	known, err := prior.manifest()
	if err != nil {
		return nil, err
	}
	q := host.TreeQuery{Digests: true, All: true}
	if t.hasSource() {
		q = known.query(t.purges())
	}
	found, err := t.readHost(ctx, h, q)
	if err != nil {
		return nil, err
	}
	if found["."] == nil {
		return nil, fmt.Errorf("%w: %s does not exist on host %s", runtime.ErrNotFound, t.Path, h.Name())
	}
	m, err := t.observe(found, known)
	if err != nil {
		return nil, err
	}
	out := &Output{Unfinished: prior.Unfinished}
	if t.hasSource() {
		t.cache.imported.Delete(h.Name(), t.Path)
	} else {
		t.cache.imported.Set(h.Name(), t.Path, m)
	}
	return out, t.setState(ctx, h, out, found, m)
}

// query returns the query for the items of a manifest, except extra ones; with all, for
// everything in the directory.
func (m manifest) query(all bool) host.TreeQuery {
	q := host.TreeQuery{Paths: []string{}, Digests: true, All: all}
	for i := range m {
		if !m[i].extra && m[i].path != "." {
			q.Paths = append(q.Paths, m[i].path)
		}
	}
	return q
}

// observe returns the manifest of the objects on the host. With purge, and for an imported
// tree, it includes extra objects.
func (t *Tree) observe(found hostEntries, known manifest) (manifest, error) {
	var m manifest
	if t.hasSource() {
		m = append(m, found.item("."))
		for i := range known {
			if it := &known[i]; !it.extra && it.path != "." {
				now := found.item(it.path)
				now.created = it.created && now.isDir()
				now.keepOwn(it)
				m = append(m, now)
			}
		}
		if root := known.find("."); root != nil {
			m[0].created = root.created
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
			if isTemporary(p) {
				continue
			}
			it := found.item(p)
			was := known.find(p)
			it.created, it.extra = it.isDir(), known != nil && (was == nil || was.extra) // added after the import
			if was != nil {
				it.keepOwn(was)
			}
			m = append(m, it)
		}
	}
	m.sort()
	return m, nil
}

// setState sets the outputs that describe the objects that were found.
func (t *Tree) setState(ctx context.Context, h host.Host, out *Output, found hostEntries, m manifest) (err error) {
	m.setCounts(out)
	out.Record = m.record()
	out.Host, out.Path, out.Source = new(h.Name()), t.Path, t.Source
	root := found["."]
	owner, group := root.FileInfo, root.FileInfo
	owns := runtime.Private(ctx).Get(ownersKey)
	attrs, err := access.Resolve(ctx, h, t.DirectoryMode, t.Owner, t.Group)
	if err != nil {
		owns = nil // for example, the account was deleted: the owner that was found shows this
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

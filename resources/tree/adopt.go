package tree

import (
	"context"
	"fmt"
	"path"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (t *Tree) Place() (*string, lifecycle.Key) { return t.Host, t.Path }

// HasParts implements [lifecycle.Composite].
func (*Tree) HasParts() {}

// ValidateInputs implements [runtime.InputValidator]. For an update, ModifyResourcePlan
// scans the source.
func (t *Tree) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if !runtime.PlansCreate(ctx) {
		return nil
	}
	if !t.hasSource() {
		return errNoSource
	}
	source, err := t.scan(ctx)
	if err != nil {
		return err
	}
	h := scope.Host
	return scope.Preflight(ctx, func() error {
		attrs, err := t.resolveForPlan(ctx, scope)
		left, _ := t.cache.unfinished.Get(h.Name(), t.Path)
		if err != nil || scope.Owned() || len(left.made) > 0 { // Create checks unfinished objects
			return err
		}
		info, err := scope.CachedLstat(ctx, t.Path)
		if err != nil {
			return lifecycle.ConnectionError(err)
		}
		switch {
		case info.Type == host.TypeDirectory:
		case t.overwrites():
			return hostpath.PlanRemoveOther(ctx, h, t.Path, host.TypeDirectory, info.Type, "overwrite")
		default:
			return hostpath.WrongType(h, t.Path, host.TypeDirectory, info.Type)
		}
		found, err := t.readHost(ctx, h, t.query(source))
		if err != nil {
			return lifecycle.PreflightError(err)
		}
		replaced, err := t.checkAdoptable(ctx, scope, &plan{source: source}, found, attrs, true)
		if len(replaced) > 0 && err == nil {
			runtime.Warn(ctx, "overwrite", "Existing objects will be replaced",
				fmt.Sprintf("%s on host %s has objects that will be replaced: %s. Their current content will be lost.", t.Path, h.Name(), diag.List(replaced, maxNamed)))
		}
		return err
	})
}

// query returns the query for all items of the source and, with purge, for everything
// else in the directory.
func (t *Tree) query(source *sourceTree) host.TreeQuery {
	return source.items.query(t.purges())
}

// checkAdoptable returns an error if an apply must not adopt, replace or remove objects that are in
// found and that the plan did not observe. It returns descriptions of the objects that
// overwrite replaces: only a create replaces any, because the plan of an update does not
// name them.
func (t *Tree) checkAdoptable(ctx context.Context, scope *lifecycle.Scope, p *plan, found hostEntries, attrs host.Attributes, create bool) (replaced []string, err error) {
	h := scope.Host
	d, err := t.desired(attrs, false)
	if err != nil {
		return nil, err
	}
	source := p.source
	var conflicts []string
	wrongKind := false
	for i := range source.items {
		it := &source.items[i]
		entry := found[it.path]
		if entry == nil || p.observed.find(it.path) != nil {
			continue
		}
		was := found.item(it.path)
		why := ""
		switch {
		case it.kind != was.kind:
			conflicts, wrongKind = append(conflicts, quote(it.path)+" (is a "+was.kind.String()+")"), true
			continue
		case it.isDir():
			dir := path.Join(string(t.Path), it.path)
			if why = d.differences(it, &was); why != "" && (scope.MadeAsParent(address.Path(dir)) || isEmpty(ctx, h, dir)) {
				why = ""
			}
		case it.kind == host.TypeSymlink:
			if entry.LinkTarget != source.targets[it.path] {
				why = "has a different target"
			}
		case entry.SHA256 == nil || *entry.SHA256 != source.sums[it.path]:
			why = "has different content"
		}
		if why == "" {
			continue
		}
		text := quote(it.path) + " (" + why + ")"
		if create && t.overwrites() {
			replaced = append(replaced, text)
		} else {
			conflicts = append(conflicts, text)
		}
	}
	if !create && len(conflicts) > 0 {
		return nil, lifecycle.ConflictErrorf("path", "%s on host %s already has objects that the tree does not manage and that differ from the source: %s. "+
			"Nothing was written. Move or remove them on the host, or exclude them", t.Path, h.Name(), diag.List(conflicts, maxNamed))
	}
	remedy := fmt.Sprintf("To manage the existing objects, import the directory (id %q), so that a plan shows what would change", h.Name()+":"+string(t.Path))
	if t.purges() {
		var extras []string
		for _, it := range found.extras(source.items, d.ignored) {
			if p.observed.find(it.path) == nil {
				extras = append(extras, quote(it.path))
			}
		}
		if len(extras) > 0 {
			return nil, diag.AttributeErrorf("purge", "%s on host %s already has objects that are not in the source and would be removed: %s. %s. Or do not set purge, or exclude the objects",
				t.Path, h.Name(), diag.List(extras, maxNamed), remedy)
		}
	}
	if len(conflicts) == 0 {
		return replaced, nil
	}
	if !wrongKind {
		remedy += "; or set overwrite = true"
	}
	return nil, lifecycle.ConflictErrorf("path", "%s on host %s already has objects that differ from the source: %s. %s",
		t.Path, h.Name(), diag.List(conflicts, maxNamed), remedy)
}

// isEmpty reports whether a directory can be read and is empty.
func isEmpty(ctx context.Context, h host.Host, dir string) bool {
	entries, err := h.ReadDir(ctx, dir)
	return err == nil && len(entries) == 0
}

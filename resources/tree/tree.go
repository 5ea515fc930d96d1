package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Create implements [runtime.TypedResource]. A failed create returns the objects that it
// and earlier creates made, so that the next create continues; see Delete.
func (t *Tree) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	left, _ := t.cache.unfinished.Get(scope.Host.Name(), t.Path)
	t.cache.unfinished.Delete(scope.Host.Name(), t.Path)
	out, err := t.create(ctx, scope, left.made)
	if out == nil && len(left.made) > 0 {
		out = t.readUnfinished(ctx, scope.Host, left)
	}
	return out, err
}

func (t *Tree) create(ctx context.Context, scope *lifecycle.Scope, unfinished manifest) (*Output, error) {
	a, err := t.newApplier(ctx, scope)
	if err != nil {
		return nil, err
	}
	a.unfinished, a.plan.observed = unfinished, unfinished
	a.toRemove = removals(compare(a.plan.source.items, unfinished, desired{managed: true}))
	err = a.prepare(ctx, true)
	if wrong, is := errors.AsType[*hostpath.WrongTypeError](err); is && t.overwrites() {
		if err = hostpath.RemoveOther(ctx, a.host, t.Path, wrong.Want, wrong.Got); err == nil {
			err = a.prepare(ctx, true)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := a.run(ctx); err != nil {
		return a.partialResult(ctx, nil, err)
	}
	out, err := a.finish(ctx, nil)
	if out == nil {
		return a.partialResult(ctx, nil, err)
	}
	return out, err
}

// Update implements [runtime.TypedResource].
func (t *Tree) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Tree, *Output]) (*Output, error) {
	if !t.hasSource() {
		return prior.Observed, nil // only inputs without effect changed
	}
	known, err := prior.Observed.manifest()
	if err != nil {
		return nil, err
	}
	a, err := t.newApplier(ctx, scope)
	if err != nil {
		return nil, err
	}
	a.imported = !prior.Inputs.hasSource()
	if a.plan.observed == nil {
		a.plan.observed = known
	}
	if t.FollowsLinks() && !prior.Inputs.FollowsLinks() && len(a.plan.changes) == 0 && a.plan.source.items.digest() == prior.Observed.Digest {
		return a.unchanged(ctx, prior.Observed), nil // the refresh did not follow the links: the next plan shows the objects
	}
	if err := a.prepare(ctx, false); err != nil {
		return nil, err
	}
	if a.before["."] == nil {
		return nil, fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", t.Path, a.host.Name())
	}
	if err := a.run(ctx); err != nil {
		return a.partialResult(ctx, known, err)
	}
	out, err := a.finish(ctx, known)
	if out == nil {
		return a.partialResult(ctx, known, err)
	}
	return out, err
}

// newApplier returns the applier of the plan. It returns an error if the source has
// changed since the plan.
func (t *Tree) newApplier(ctx context.Context, scope *lifecycle.Scope) (*applier, error) {
	h := scope.Host
	attrs, err := t.resolve(ctx, h)
	if err != nil {
		return nil, err
	}
	source, err := t.scan(ctx)
	if err != nil {
		return nil, err
	}
	p, _ := t.cache.planned.Get(h.Name(), t.Path)
	if p == nil {
		return nil, fmt.Errorf("the provider has no plan for %s on host %s. Plan and apply again", t.Path, h.Name())
	}
	if changes := compare(source.items, p.source.items, desired{managed: true, purge: true}); len(changes) > 0 {
		var texts []string
		for i := range changes {
			texts = append(texts, changes[i].String())
		}
		return nil, diag.AttributeErrorf("source", "the source %s has changed since the plan was made: %s. Nothing was written. "+
			"When the source is complete, plan and apply again", host.QuotePath(t.Source), diag.List(texts, maxNamed))
	}
	return &applier{
		tree: t, scope: scope, host: h, plan: &plan{source: source, observed: p.observed, changes: p.changes}, attrs: attrs, toRemove: removals(p.changes),
	}, nil
}

// finish reads the result of an apply, and returns an error if it differs from the plan. The output
// is nil if the result cannot be read.
func (a *applier) finish(ctx context.Context, known manifest) (*Output, error) {
	found, m, err := a.result(ctx, known, false)
	if err != nil {
		return nil, err
	}
	recordOwners(ctx, a.attrs)
	out := &Output{}
	if err := a.tree.setState(ctx, a.host, out, found, m); err != nil {
		return nil, err
	}
	var want Output
	a.plan.setOutputs(&want)
	if out.Digest != want.Digest {
		var wrong []string
		for _, c := range compare(a.plan.source.items, m, desired{}) {
			wrong = append(wrong, c.String())
		}
		err = fmt.Errorf("%s on host %s differs from the plan after the apply: %s. Another program changes the directory, or its file system does not store modes",
			a.tree.Path, a.host.Name(), diag.List(wrong, maxNamed))
	}
	out.Added, out.Changed, out.Removed, out.Changes = want.Added, want.Changed, want.Removed, want.Changes
	out.Owner, out.Group = cmp.Or(a.tree.Owner, out.Owner), cmp.Or(a.tree.Group, out.Group)
	return out, err
}

// unchanged returns the state after an update that changes nothing on the host. The state has the objects of the source.
func (a *applier) unchanged(ctx context.Context, was *Output) *Output {
	recordOwners(ctx, a.attrs)
	out := *was
	a.plan.setOutputs(&out)
	out.Host, out.Path, out.Source, out.Unfinished = new(a.host.Name()), a.tree.Path, a.tree.Source, nil
	out.Owner, out.Group = cmp.Or(a.tree.Owner, out.Owner), cmp.Or(a.tree.Group, out.Group)
	return &out
}

// recordOwners stores in private data whether owner and group are configured: only then
// are they compared. It also stores that private data was kept, see Delete.
func recordOwners(ctx context.Context, attrs host.Attributes) {
	var owns []byte
	if attrs.UID != nil {
		owns = append(owns, ownsUser)
	}
	if attrs.GID != nil {
		owns = append(owns, ownsGroup)
	}
	runtime.Private(ctx).Set(ownersKey, owns)
	runtime.Private(ctx).Set(appliedKey, []byte{'1'})
}

// result returns the objects of the source on the host, and a manifest of them, which marks the
// directories that the tree has created. Without digests, content is not read: result assumes that a file of the
// planned size has the planned content, which was just read or written.
func (a *applier) result(ctx context.Context, known manifest, digests bool) (hostEntries, manifest, error) {
	q := a.plan.source.items.query(false)
	q.Digests = digests
	found, err := a.tree.readHost(ctx, a.host, q)
	if err != nil {
		return nil, nil, err
	}
	if found["."] == nil {
		return nil, nil, fmt.Errorf("%s on host %s was removed during the apply. Plan and apply again to create it", a.tree.Path, a.host.Name())
	}
	var m manifest
	for i := range a.plan.source.items {
		want := &a.plan.source.items[i]
		it := found.item(want.path)
		if !digests && it.kind == host.TypeRegular && it.size == want.size {
			it.sum = want.sum
		}
		was := cmp.Or(known.find(it.path), a.unfinished.find(it.path))
		switch {
		case it.kind == want.kind:
		case was != nil && !was.extra:
			it.keepOwn(was)
		default:
			it.own = want.kind
		}
		if it.isDir() {
			it.created = a.before.item(it.path).kind != host.TypeDirectory || was != nil && was.created
		}
		m = append(m, it)
	}
	return found, m, nil
}

// partialResult returns the state after a failed apply, with its error: after a create,
// the objects that it and earlier creates made; after an update, all items, except for new ones that are missing.
// Items of an imported tree that are not in the source are left out, as after a successful apply: otherwise,
// since the state now has a source, the next plan would remove them. The output is nil if there are no such
// objects, or they cannot be read.
func (a *applier) partialResult(ctx context.Context, known manifest, cause error) (*Output, error) {
	cause = hostpath.Explain(a.host, a.tree.Path, host.TypeDirectory, cause)
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	found, m, err := a.result(ctx, known, true)
	if err != nil {
		return nil, cause // the prior state is kept
	}
	var kept manifest
	for i := range m {
		if a.keeps(known, &m[i]) {
			kept = append(kept, m[i])
		}
	}
	if len(kept) == 0 {
		return nil, cause
	}
	sorted := kept // find needs a sorted manifest
	for _, it := range slices.Concat(known, a.unfinished) {
		if sorted.find(it.path) == nil && !a.imported && !slices.Contains(a.taken, it.path) { // its removal may still be due
			kept = append(kept, it)
		}
	}
	kept.sort()
	recordOwners(ctx, a.attrs)
	out := &Output{}
	if known == nil {
		out.Unfinished = kept.created()
	}
	if err := a.tree.setState(ctx, a.host, out, found, kept); err != nil {
		return nil, cause
	}
	return out, cause
}

// keeps reports whether an item of the source is part of the state after a failed apply. A missing object is part
// of that state only if it was before: if another process creates it before the next apply, it does not belong to the
// tree.
func (a *applier) keeps(known manifest, it *item) bool {
	was := known.find(it.path)
	switch {
	case it.kind == absent:
		return was != nil && !was.extra
	case known != nil:
		return true
	}
	return it.created || a.before.item(it.path).kind == absent || a.unfinished.find(it.path) != nil
}

// readUnfinished returns the state of the objects that earlier creates made, for a create
// that failed before its first change; nil if the directory does not exist. Terraform has
// removed them from the state before the create, see Delete. If they cannot be read, for example
// because the connection is lost, the state is the previous one: the objects would otherwise
// remain on the host without a state.
func (t *Tree) readUnfinished(ctx context.Context, h host.Host, left unfinished) *Output {
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	found, err := t.readHost(ctx, h, left.made.query(false))
	if err == nil && found["."] == nil {
		return nil
	}
	recordOwners(ctx, host.Attributes{})
	out := &Output{Unfinished: left.made.created()}
	if err == nil {
		var m manifest
		if m, err = t.observe(found, left.made); err == nil {
			err = t.setState(ctx, h, out, found, m)
		}
	}
	if err != nil {
		out = new(*left.state)
		out.Source = t.Source
	}
	return out
}

// Delete implements [runtime.TypedResource]. To replace an object whose create failed,
// Terraform calls Delete without private data: the objects that the create made
// are then kept, and the next Create continues with them.
func (t *Tree) Delete(ctx context.Context, scope *lifecycle.Scope, prior *Output) error {
	h := scope.Host
	known, err := prior.manifest()
	if err != nil {
		return err
	}
	if prior.Unfinished != nil && runtime.Private(ctx).Get(appliedKey) == nil {
		made := slices.DeleteFunc(known, func(it item) bool { return it.extra || it.foreign() || it.isDir() && !it.created })
		t.cache.unfinished.Set(h.Name(), t.Path, unfinished{made, prior})
		return nil
	}
	return hostpath.Explain(h, t.Path, host.TypeDirectory, t.destroy(ctx, scope, known))
}

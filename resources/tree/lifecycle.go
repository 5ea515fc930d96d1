package tree

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Create is part of [runtime.TypedResource]. A partial result is recorded if it fails: the
// next apply continues, see Delete.
func (t *Tree) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	a, err := t.begin(ctx, scope)
	if err != nil {
		return nil, err
	}
	if err := a.prepare(ctx, true); err != nil {
		return nil, err
	}
	a.begun = t.memory.takeBegun(a.h, t.Path)
	if err := a.run(ctx); err != nil {
		return a.failed(ctx, nil, err)
	}
	out, err := a.finish(ctx, nil)
	if out == nil {
		return a.failed(ctx, nil, err)
	}
	return out, err
}

// Update is part of [runtime.TypedResource].
func (t *Tree) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Tree, *Output]) (*Output, error) {
	if !t.claimed() {
		return prior.Observed, nil // only settings changed
	}
	known, err := prior.Observed.recorded()
	if err != nil {
		return nil, err
	}
	a, err := t.begin(ctx, scope)
	if err != nil {
		return nil, err
	}
	if a.plan.seen == nil {
		a.plan.seen = known
	}
	if err := a.prepare(ctx, false); err != nil {
		return nil, err
	}
	if a.before["."] == nil {
		return nil, fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", t.Path, a.h.Name())
	}
	if err := a.run(ctx); err != nil {
		return a.failed(ctx, known, err)
	}
	out, err := a.finish(ctx, known)
	switch was := prior.Observed; {
	case out == nil:
		return a.failed(ctx, known, err)
	case a.plan.keeps:
		out.Added, out.Changed, out.Removed, out.Changes = was.Added, was.Changed, was.Removed, was.Changes
	}
	return out, err
}

// begin returns the state of the planned apply, after checking that the source has not
// changed.
func (t *Tree) begin(ctx context.Context, scope *lifecycle.Scope) (*applying, error) {
	h := scope.Host
	attrs, err := t.resolve(ctx, h)
	if err != nil {
		return nil, err
	}
	source, err := t.scan(ctx)
	if err != nil {
		return nil, err
	}
	p := t.memory.plannedAt(h, t.Path)
	if p == nil {
		return nil, errors.New("the provider has no plan for this tree. Plan and apply again")
	}
	if changes := compare(source.items, p.source.items, wish{claimed: true, purge: true}); len(changes) > 0 {
		var texts []string
		for i := range changes {
			texts = append(texts, changes[i].String())
		}
		return nil, diag.AttributeErrorf("source", "the source %s has changed since the plan was made: %s. Nothing was written. "+
			"When it is complete, plan and apply again", host.QuotePath(t.Source), strings.Join(first(texts), ", "))
	}
	return &applying{t: t, h: h, plan: &plan{source: source, seen: p.seen, changes: p.changes, keeps: p.keeps}, attrs: attrs}, nil
}

// finish reads the result and returns the outputs.
func (a *applying) finish(ctx context.Context, known manifest) (*Output, error) {
	found, m, err := a.result(ctx, known, false)
	if err != nil {
		return nil, err
	}
	a.own(ctx)
	out := &Output{}
	if err := a.t.output(ctx, a.h, out, found, m); err != nil {
		return nil, err
	}
	var want Output
	a.plan.describe(&want)
	if out.Digest != want.Digest {
		var wrong []string
		for _, c := range compare(a.plan.source.items, m, wish{}) {
			wrong = append(wrong, c.String())
		}
		err = fmt.Errorf("%s on host %s is not as it was left a moment ago: %s. Another program changes it, or its file system does not keep modes",
			a.t.Path, a.h.Name(), strings.Join(first(wrong), ", "))
	}
	out.Added, out.Changed, out.Removed, out.Changes = want.Added, want.Changed, want.Removed, want.Changes
	out.Owner, out.Group = either(a.t.Owner, out.Owner), either(a.t.Group, out.Group)
	return out, err
}

// own records which owners are configured: their drift is detected. It also records that it
// was called.
func (a *applying) own(ctx context.Context) {
	var owns []byte
	if a.attrs.UID != nil {
		owns = append(owns, ownsUser)
	}
	if a.attrs.GID != nil {
		owns = append(owns, ownsGroup)
	}
	runtime.Private(ctx).Set(owning, owns)
	runtime.Private(ctx).Set(attended, []byte{'1'})
}

func either(configured, found *string) *string {
	if configured != nil {
		return configured
	}
	return found
}

// result returns the objects of the source on the host, with the directories that the tree
// created. Digests are computed for unknown content; otherwise the digest that was just
// written or read is used, if the size matches.
func (a *applying) result(ctx context.Context, known manifest, digests bool) (there, manifest, error) {
	q := a.plan.source.items.query(false)
	q.Digests = digests
	found, err := a.t.look(ctx, a.h, q)
	if err != nil {
		return nil, nil, err
	}
	if found["."] == nil {
		return nil, nil, fmt.Errorf("%s on host %s was removed a moment ago. Plan and apply again to create it", a.t.Path, a.h.Name())
	}
	var m manifest
	for i := range a.plan.source.items {
		want := &a.plan.source.items[i]
		it := found.item(want.path)
		if !digests && it.kind == host.TypeRegular && it.size == want.size {
			it.sum = want.sum
		}
		if it.dir() {
			was := known.find(it.path)
			it.made = a.before.item(it.path).kind != host.TypeDirectory || was != nil && was.made || a.begun.find(it.path) != nil
		}
		m = append(m, it)
	}
	return found, m, nil
}

// aftermath limits reading the result of a failed apply.
const aftermath = 30 * time.Second

// failed returns the error of an apply with the objects on the host: after a create, those
// that it created; after an update, all that it concerns.
func (a *applying) failed(ctx context.Context, known manifest, cause error) (*Output, error) {
	cause = hostpath.Explain(a.h, a.t.Path, host.TypeDirectory, cause)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), aftermath)
	defer cancel()
	found, m, err := a.result(ctx, known, true)
	if err != nil {
		return nil, cause // the state keeps its objects
	}
	var kept manifest
	for _, it := range m {
		if known != nil || it.made || it.kind != absent && a.before.item(it.path).kind == absent {
			kept = append(kept, it)
		}
	}
	if len(kept) == 0 {
		return nil, cause
	}
	sorted := kept // appended items are not sorted
	for _, it := range known {
		if sorted.find(it.path) == nil { // objects that were to be removed are kept in the state
			kept = append(kept, it)
		}
	}
	kept.sort()
	a.own(ctx)
	out := &Output{Changes: []string{}}
	if known == nil {
		out.Unfinished = []string{}
	}
	for i := range kept {
		if it := &kept[i]; known == nil && it.made {
			out.Unfinished = append(out.Unfinished, it.path)
		}
	}
	if err := a.t.output(ctx, a.h, out, found, kept); err != nil {
		return nil, cause
	}
	return out, cause
}

// Delete is part of [runtime.TypedResource]. If a create has failed and the object is to be
// replaced, clients send no private data: the partial result is then kept for the next
// create, which continues with it.
func (t *Tree) Delete(ctx context.Context, scope *lifecycle.Scope, prior *Output) error {
	h := scope.Host
	if prior.Unfinished != nil && runtime.Private(ctx).Get(attended) == nil {
		t.memory.begin(h, t.Path, prior.Unfinished)
		return nil
	}
	known, err := prior.recorded()
	if err != nil {
		return err
	}
	return hostpath.Explain(h, t.Path, host.TypeDirectory, t.remove(ctx, h, known))
}

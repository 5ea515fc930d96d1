package tree

import (
	"context"
	"fmt"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// plannedOutputs are the outputs that a plan determines, except transient ones.
var plannedOutputs = []string{"digest", "files", "directories", "links", "size", "unfinished"}

// plannedOwners returns the configured owner and group as IDs. They are unset if they
// are not configured, even if the state has them, or if the host is not reachable yet.
func (t *Tree) plannedOwners(ctx context.Context, scope *lifecycle.Scope) (attrs host.Attributes, err error) {
	err = scope.Preflight(ctx, func() (err error) {
		attrs, err = t.resolveForPlan(ctx, scope)
		return err
	})
	return attrs, err
}

func (t *Tree) resolveForPlan(ctx context.Context, scope *lifecycle.Scope) (host.Attributes, error) {
	owner, group := access.Configured(ctx, t.Owner, t.Group)
	attrs, err := access.ResolveForPlan(ctx, scope, t.DirectoryMode, owner, group)
	attrs.Mode = nil
	return attrs, err
}

func (t *Tree) resolve(ctx context.Context, h host.Host) (host.Attributes, error) {
	owner, group := access.Configured(ctx, t.Owner, t.Group)
	attrs, err := access.Resolve(ctx, h, t.DirectoryMode, owner, group)
	attrs.Mode = nil
	return attrs, err
}

func (t *Tree) desired(attrs host.Attributes, claimed bool) (desired, error) {
	ignored, err := glob.ParseAll(t.Exclude)
	return desired{uid: attrs.UID, gid: attrs.GID, managed: claimed, purge: t.purges(), ignored: ignored}, err
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. It compares the source
// with the manifest in the state.
func (*Tree) ModifyResourcePlan(req runtime.ResourcePlanRequest[Tree, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	t, was, scope := &req.CurrentInputs, &req.PriorInputs, req.Config
	ctx := req.Context()
	if !t.hasSource() {
		switch adopts := t.planning.adopts; {
		case was.hasSource():
			return errNoSource
		case adopts == nil || !*adopts: // the configuration has no source
			runtime.Warn(ctx, "source", "Tree without a source", fmt.Sprintf("%s was imported, and nothing on the host changes until source is set.", t.Path))
		}
		resp.KeepOutput(plannedOutputs...)
		return nil
	}
	source, err := t.scan(ctx)
	if err != nil {
		return err
	}
	seen, err := req.PriorOutputs.manifest()
	if err != nil {
		return err
	}
	var attrs host.Attributes
	if scope != nil {
		if attrs, err = t.plannedOwners(ctx, scope); err != nil {
			return err
		}
	}
	d, err := t.desired(attrs, was.hasSource())
	if err != nil {
		return err
	}
	if scope != nil && was.hasSource() && t.purges() && (!was.purges() || !slices.Equal(t.Exclude, was.Exclude)) {
		// The manifest in the state does not have the extra objects that purge and exclude select now.
		if seen, err = t.withExtras(ctx, scope, seen, d.ignored); err != nil {
			return err
		}
	}
	p := &plan{source: source, observed: seen, changes: compare(source.items, seen, d)}
	t.planning.planned = p
	// An object that neither the host nor the source has any more leaves the state: if it comes back, it does not belong to the tree.
	forgets := slices.ContainsFunc(seen, func(it item) bool { return it.kind == absent && source.items.find(it.path) == nil })
	if len(p.changes) == 0 && !forgets && req.PriorOutputs.Digest == source.items.digest() {
		resp.KeepOutput(plannedOutputs...)
	} else {
		resp.MarkOutputUnknown(plannedOutputs...)
	}
	return nil
}

// withExtras returns the manifest with the extra objects that the host has now.
func (t *Tree) withExtras(ctx context.Context, scope *lifecycle.Scope, seen manifest, ignored glob.Patterns) (manifest, error) {
	h := scope.Host
	own := slices.DeleteFunc(slices.Clone(seen), func(it item) bool { return it.extra })
	var extras manifest
	err := scope.Preflight(ctx, func() error {
		found, err := t.readHost(ctx, h, host.TreeQuery{All: true})
		extras = found.extras(own, ignored)
		return err
	})
	all := slices.Concat(own, extras)
	all.sort()
	return all, err
}

// PlanOutputs implements [runtime.OutputPlanner]. It stores the plan for the apply:
// Terraform plans again in the process that applies.
func (t *Tree) PlanOutputs(ctx context.Context, scope *lifecycle.Scope, outputs *runtime.OutputPlan) error {
	outputs.Set("unfinished", nil)
	p := t.planning.planned
	if runtime.PlansCreate(ctx) {
		source, err := t.scan(ctx)
		if err != nil {
			return err
		}
		p = &plan{source: source, changes: compare(source.items, nil, desired{})}
	}
	if p == nil { // no source: nothing on the host changes
		for _, name := range []string{"added", "changed", "removed", "changes"} {
			outputs.Set(name, nil)
		}
		return nil
	}
	t.cache.planned.Set(scope.Host.Name(), t.Path, p)
	var out Output
	p.setOutputs(&out)
	for name, value := range map[string]any{
		"digest": out.Digest, "files": out.Files, "directories": out.Directories, "links": out.Links, "size": out.Size,
		"added": out.Added, "changed": out.Changed, "removed": out.Removed, "changes": out.Changes,
	} {
		outputs.Set(name, value)
	}
	return nil
}

// adopts reports whether an imported tree, whose state has no source, is as configured
// and has no other objects. No change is planned then.
//
// A negative result is kept until the tree is read again: a plan with unknown values has already
// planned a change, which a later plan of the same run must not revoke.
func (t *Tree) adopts(ctx context.Context, prior, current *Tree) bool {
	if prior.hasSource() {
		return false
	}
	if t.planning.adopts == nil {
		t.planning.adopts = new(t.matchesImport(ctx, prior, current))
		if !*t.planning.adopts && prior.Host != nil {
			t.cache.imported.Delete(*prior.Host, prior.Path)
		}
	}
	return *t.planning.adopts
}

func (t *Tree) matchesImport(ctx context.Context, prior, current *Tree) bool {
	// An unknown value is nil; one that is not configured has the value of the state.
	other := func(was, is *string) bool { return was == nil || is == nil || *was != *is }
	if !current.hasSource() || current.Purge == nil || current.Exclude == nil || runtime.Configured(ctx, "executable_mode") ||
		other(prior.Host, current.Host) || prior.Path != current.Path || other(prior.Owner, current.Owner) || other(prior.Group, current.Group) {
		return false
	}
	seen, _ := t.cache.imported.Get(*prior.Host, prior.Path)
	root := seen.find(".")
	if root == nil {
		return false
	}
	source, err := current.scan(ctx) // the error is reported when the source is scanned again
	if err != nil {
		return false
	}
	attrs := host.Attributes{}
	if current.Owner != nil {
		attrs.UID = &root.uid
	}
	if current.Group != nil {
		attrs.GID = &root.gid
	}
	d, err := current.desired(attrs, false)
	d.purge = true // so that extra objects count as changes
	return err == nil && len(compare(source.items, seen, d)) == 0
}

package tree

import (
	"context"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// planned are the outputs that are known during plan.
var planned = []string{"digest", "files", "directories", "links", "size", "added", "changed", "removed", "changes", "unfinished"}

// owners returns the configured owner and group as attributes; none if the host cannot be
// reached yet. An owner that is not configured is in the state but not repaired.
func (t *Tree) owners(ctx context.Context, scope *lifecycle.Scope) (attrs host.Attributes, err error) {
	err = scope.Preflight(ctx, func() (err error) {
		attrs, err = t.resolveForPlan(ctx, scope)
		return err
	})
	return attrs, err
}

func (t *Tree) resolveForPlan(ctx context.Context, scope *lifecycle.Scope) (host.Attributes, error) {
	owner, group := t.accounts(ctx)
	attrs, err := access.ResolveForPlan(ctx, scope, t.DirectoryMode, owner, group)
	attrs.Mode = nil
	return attrs, err
}

func (t *Tree) resolve(ctx context.Context, h host.Host) (host.Attributes, error) {
	owner, group := t.accounts(ctx)
	attrs, err := access.Resolve(ctx, h, t.DirectoryMode, owner, group)
	attrs.Mode = nil
	return attrs, err
}

// accounts returns the configured owner and group.
func (t *Tree) accounts(ctx context.Context) (owner, group *string) {
	if runtime.Configured(ctx, "owner") {
		owner = t.Owner
	}
	if runtime.Configured(ctx, "group") {
		group = t.Group
	}
	return owner, group
}

func (t *Tree) wish(attrs host.Attributes, claimed bool) (wish, error) {
	ignored, err := glob.ParseAll(t.Exclude)
	return wish{uid: attrs.UID, gid: attrs.GID, claimed: claimed, purge: t.purges(), ignored: ignored}, err
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. It compares the source with
// the last read.
func (*Tree) ModifyResourcePlan(req runtime.ResourcePlanRequest[Tree, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	t, was, scope := &req.CurrentInputs, &req.PriorInputs, req.Config
	if !t.claimed() { // imported, and as configured
		resp.KeepOutput(planned...)
		return nil
	}
	ctx := req.Context()
	source, err := t.scan(ctx)
	if err != nil {
		return err
	}
	seen, err := req.PriorOutputs.recorded()
	if err != nil {
		return err
	}
	var attrs host.Attributes
	if scope != nil {
		if attrs, err = t.owners(ctx, scope); err != nil {
			return err
		}
	}
	w, err := t.wish(attrs, was.claimed())
	if err != nil {
		return err
	}
	if scope != nil && was.claimed() && t.purges() && (!was.purges() || !slices.Equal(t.Exclude, was.Exclude)) {
		// The state does not have the extra objects yet.
		if seen, err = t.withExtras(ctx, scope, seen, w.ignored); err != nil {
			return err
		}
	}
	p := &plan{source: source, seen: seen, changes: compare(source.items, seen, w)}
	t.work.planned = p
	if p.keeps = len(p.changes) == 0 && req.PriorOutputs.Digest == source.items.digest(); p.keeps {
		resp.KeepOutput(planned...)
	} else {
		resp.MarkOutputUnknown(planned...)
	}
	return nil
}

// withExtras adds the current extra objects to seen.
func (t *Tree) withExtras(ctx context.Context, scope *lifecycle.Scope, seen manifest, ignored glob.Patterns) (manifest, error) {
	h := scope.Host
	own := slices.DeleteFunc(slices.Clone(seen), func(it item) bool { return it.extra })
	var extras manifest
	err := scope.Preflight(ctx, func() error {
		found, err := t.look(ctx, h, host.TreeQuery{All: true})
		extras = found.extras(own, ignored)
		return err
	})
	all := slices.Concat(own, extras)
	all.sort()
	return all, err
}

// PlanOutputs is part of [runtime.OutputPlanner]. The last plan is the one that is applied,
// because clients plan again before an apply.
func (t *Tree) PlanOutputs(ctx context.Context, scope *lifecycle.Scope, outputs *runtime.OutputPlan) error {
	h := scope.Host
	outputs.Set("host", h.Name())
	outputs.Set("unfinished", nil)
	p := t.work.planned
	if runtime.PlansCreate(ctx) {
		source, err := t.scan(ctx)
		if err != nil {
			return err
		}
		p = &plan{source: source, changes: compare(source.items, nil, wish{})}
	}
	if p == nil {
		return nil
	}
	t.memory.plan(h, t.Path, p)
	var out Output
	p.describe(&out)
	for name, value := range map[string]any{
		"digest": out.Digest, "files": out.Files, "directories": out.Directories, "links": out.Links, "size": out.Size,
		"added": out.Added, "changed": out.Changed, "removed": out.Removed, "changes": out.Changes,
	} {
		outputs.Set(name, value)
	}
	return nil
}

// adopted reports whether an imported tree, whose state has no source, is as configured and
// has no extra objects, so that there is nothing to do.
//
// Once it has returned false, it does so until the tree is read again: a plan that was made
// with unknown values has shown changes.
func (t *Tree) adopted(ctx context.Context, prior, current *Tree) bool {
	if prior.claimed() {
		return false
	}
	if t.work.adopted == nil {
		t.work.adopted = new(t.isAdopted(ctx, prior, current))
		if !*t.work.adopted && prior.Host != nil {
			t.memory.see(*prior.Host, prior.Path, nil)
		}
	}
	return *t.work.adopted
}

func (t *Tree) isAdopted(ctx context.Context, prior, current *Tree) bool {
	// An unknown value is nil; one that is not configured has the value of the state.
	other := func(was, is *string) bool { return was == nil || is == nil || *was != *is }
	if !current.claimed() || current.Purge == nil || current.Exclude == nil || runtime.Configured(ctx, "executable_mode") ||
		other(prior.Host, current.Host) || prior.Path != current.Path || other(prior.Owner, current.Owner) || other(prior.Group, current.Group) {
		return false
	}
	seen := t.memory.seenAt(*prior.Host, prior.Path)
	root := seen.find(".")
	if root == nil {
		return false
	}
	source, err := current.scan(ctx) // it is scanned again later, and the error shown then
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
	w, err := current.wish(attrs, false)
	w.purge = true // so that extra objects count
	return err == nil && len(compare(source.items, seen, w)) == 0
}

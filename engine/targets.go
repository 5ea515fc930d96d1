package engine

import (
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// parseTargets parses the targets of the options.
func (w *walk) parseTargets() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, text := range w.opts.Targets {
		t, err := addrs.ParseTargetStr(text)
		if err != nil {
			diags = diags.Errorf("", "Invalid target", "%s.", err)
			continue
		}
		w.targets = append(w.targets, t)
	}
	return diags
}

// targeted reports whether a target is the block, an instance of it, or a module that contains it.
func (w *walk) targeted(r addrs.ConfigResource) bool {
	return slices.ContainsFunc(w.targets, func(t addrs.Target) bool { return t.ContainsConfig(r) })
}

// wants reports whether an instance is processed. Targets may select some instances of
// a block; dependencies of targets are always complete.
func (w *walk) wants(addr addrs.AbsResourceInstance) bool {
	return !w.targeted(addr.ConfigResource()) || w.containedInTarget(addr)
}

func (w *walk) containedInTarget(addr addrs.AbsResourceInstance) bool {
	return slices.ContainsFunc(w.targets, func(t addrs.Target) bool { return t.Contains(addr) })
}

// restrictToTargets keeps the targets, their dependencies, the actions of both, and the
// outputs that depend on at least one of these blocks and on no other block.
func (b *builder) restrictToTargets() {
	switch {
	case len(b.targets) == 0:
	case b.destroying():
		if b.op == planning {
			b.restrictDestroy()
		}
	default:
		wanted := func(v *vertex) bool {
			if addr, deletion := b.deleted[v]; deletion { // a plan also deletes instances of dependencies; an apply deletes them only before other changes
				return b.targeted(addr.ConfigResource())
			}
			r, ok := b.resourceOf(v)
			return ok && b.targeted(r) || isStep(v)
		}
		kept := b.needed(wanted)
		outputs := map[*vertex]bool{}
		for name := range b.config.Module.Outputs {
			v := b.graph.get("output." + name)
			outputs[v] = b.dependsOnKept(v, kept)
		}
		b.keepOnly(func(v *vertex) bool { return wanted(v) || outputs[v] })
	}
}

// dependsOnKept reports whether the vertex needs at least one block, and all the blocks
// that it needs are kept.
func (b *builder) dependsOnKept(v *vertex, kept map[*vertex]bool) bool {
	some := false
	for n := range b.needed(func(n *vertex) bool { return n == v }) {
		if _, block := b.blocks[n.name]; !block {
			continue
		}
		if !kept[n] {
			return false
		}
		some = true
	}
	return some
}

// restrictDestroy keeps the deletions of the targets and of the objects that depend on
// them according to the state. Their dependencies are only read.
func (b *builder) restrictDestroy() {
	b.keepOnly(func(v *vertex) bool {
		addr, ok := b.deleted[v]
		return ok && (b.containedInTarget(addr) || b.usesTargetedData(v))
	})
}

// usesTargetedData reports whether, according to the state, a deleted object depends on a
// data source that is a target and is in the state.
func (b *builder) usesTargetedData(v *vertex) bool {
	return slices.ContainsFunc(b.deletedNeeds[v], func(r addrs.ConfigResource) bool {
		return r.Resource.Mode == addrs.DataResourceMode && b.targeted(r) && len(b.previous.Resources(r)) > 0
	})
}

// resourceOf returns the address of the resource that a vertex belongs to, whether the
// resource is in the configuration or only in the state. It returns false if the vertex
// belongs to none.
func (b *builder) resourceOf(v *vertex) (addrs.ConfigResource, bool) {
	if r, ok := b.blocks[v.name]; ok {
		return r, true
	}
	name, orphan := strings.CutSuffix(v.name, orphanSuffix)
	if !orphan {
		return addrs.ConfigResource{}, false
	}
	r, err := addrs.ParseConfigResourceStr(name)
	return r, err == nil
}

const orphanSuffix = " (orphan)"

func isStep(v *vertex) bool {
	return strings.HasSuffix(v.name, " (apply)") || strings.HasSuffix(v.name, afterActions) || strings.HasSuffix(v.name, " (destroy)") || strings.Contains(v.name, " (destroy deposed ")
}

func cycleError(names []string) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{{
		Summary: "Cycle: " + strings.Join(names, ", "),
		Detail:  "These objects depend on each other. Remove one of the references between them.",
	}}
}

package engine

import (
	"strings"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// restrictToTargets leaves what was asked for, and what that needs.
func (b *builder) restrictToTargets() {
	if len(b.opts.Targets) == 0 || b.op != planning {
		return
	}
	var targets []addrs.Target
	for _, text := range b.opts.Targets {
		t, err := addrs.ParseTargetStr(text)
		if err != nil {
			b.diags = b.diags.Errorf("", "Invalid target", "%s.", err)
			return
		}
		targets = append(targets, t)
	}
	wanted := func(v *vertex) bool {
		name, orphan := strings.CutSuffix(v.name, orphanSuffix)
		r, ok := b.blocks[name]
		if orphan {
			var err error
			r, err = addrs.ParseConfigResourceStr(name)
			ok = err == nil
		}
		if !ok {
			return false
		}
		for _, t := range targets {
			if t.ContainsConfig(r) {
				return true
			}
		}
		return false
	}
	if b.destroying() { // and what depends on it, which cannot stay
		wanted = dependentsToo(wanted)
	}
	b.keepOnly(wanted)
}

// dependentsToo wants what needs something that is wanted, at any remove.
func dependentsToo(wanted func(*vertex) bool) func(*vertex) bool {
	memo := map[*vertex]bool{}
	var visit func(v *vertex) bool
	visit = func(v *vertex) bool {
		if found, ok := memo[v]; ok {
			return found
		}
		memo[v] = wanted(v)
		for n := range v.needs {
			if visit(n) {
				memo[v] = true
			}
		}
		return memo[v]
	}
	return visit
}

const orphanSuffix = " (orphan)"

func isOrphan(v *vertex) bool { return strings.HasSuffix(v.name, orphanSuffix) }

func isStep(v *vertex) bool {
	return strings.HasSuffix(v.name, " (apply)") || strings.HasSuffix(v.name, " (destroy)") || strings.Contains(v.name, " (destroy deposed ")
}

func cycleError(names []string) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{{
		Summary: "Cycle: " + strings.Join(names, ", "),
		Detail:  "These wait for each other. Remove one of the references between them.",
	}}
}

package packages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// removal is a request to remove a package.
type removal struct {
	name  string
	purge bool // whether to remove its configuration files too
}

// applies reports whether p has files that r removes.
func (r removal) applies(p packageState, found bool) bool {
	return found && (p.status != configOnly || r.purge)
}

// remove removes the packages of a batch. Errors of single removals are in their results.
func (m *manager) remove(ctx context.Context, removals []removal) ([]result, error) {
	results := make([]result, len(removals))
	err := m.change(ctx, func(ctx context.Context) error {
		for _, purge := range []bool{false, true} {
			if err := m.removeOrPurge(ctx, purge, removals, results); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

// removeOrPurge removes the packages of the removals whose field purge has the given value: in
// one run or, if that fails, in one run for each package, which it repeats for those that fail while
// others are removed. It stores errors of single removals in results; the returned error is
// that of all removals. Packages that are not removed keep their holds.
func (m *manager) removeOrPurge(ctx context.Context, purge bool, removals []removal, results []result) error {
	if !slices.ContainsFunc(removals, func(r removal) bool { return r.purge == purge }) {
		return nil
	}
	packages, err := m.inventory(ctx, m.h)
	if err != nil {
		return err
	}
	var order []int
	var names []string
	var held []packageState
	for i, r := range removals {
		if p, found := packages[r.name]; r.purge == purge && r.applies(p, found) {
			order, names = append(order, i), append(names, r.name)
			if p.held {
				held = append(held, p)
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	if len(held) > 0 {
		if err := m.hold(ctx, m.scope, held, false); err != nil {
			return err
		}
	}
	if err := m.removeWithDependents(ctx, unique(names), purge); err == nil {
		return nil
	} else if len(order) == 1 {
		results[order[0]].err = errors.Join(err, m.restoreHolds(ctx, held))
		return nil
	}
	failed := order
	for removed := true; removed; { // a package can be removed once those of the batch that require it are removed
		pending := failed
		failed, removed = nil, false
		for _, i := range pending {
			packages, err := m.inventory(ctx, m.h)
			if err != nil {
				return errors.Join(err, m.restoreHolds(ctx, held))
			}
			name := removals[i].name
			results[i].err = nil
			if p, found := packages[name]; removals[i].applies(p, found) {
				if err := m.removeWithDependents(ctx, []string{name}, purge); err != nil {
					results[i].err = err
					failed = append(failed, i)
					continue
				}
				removed = true
			}
			held = slices.DeleteFunc(held, func(p packageState) bool { return p.name == name })
		}
	}
	for _, i := range failed {
		name := removals[i].name
		own := slices.DeleteFunc(slices.Clone(held), func(p packageState) bool { return p.name != name })
		results[i].err = errors.Join(results[i].err, m.restoreHolds(ctx, own))
	}
	return nil
}

// removeWithDependents removes packages and those that require them, unless one of these was
// installed explicitly or is managed by another resource: then it removes nothing, and returns an error.
func (m *manager) removeWithDependents(ctx context.Context, names []string, purge bool) error {
	others, err := m.dependents(ctx, m.h, names)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		explicit, err := m.explicit(ctx, m.h)
		if err != nil {
			return err
		}
		wanted := slices.DeleteFunc(slices.Clone(others), func(name string) bool {
			return !slices.Contains(explicit, name) && !m.scope.Manages(packageKey(name))
		})
		if len(wanted) > 0 {
			return fmt.Errorf("cannot remove %s from host %s: required by %s. Remove those packages first. "+
				"If they are managed in the same configuration, make them depend on this resource with depends_on; to keep the package, remove it from the state with a removed block",
				strings.Join(names, ", "), m.h.Name(), strings.Join(wanted, ", "))
		}
	}
	return m.backend.remove(ctx, m.h, names, purge)
}

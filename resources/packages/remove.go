package packages

import (
	"context"
	"errors"
	"slices"
)

// removal is a package that is to go.
type removal struct {
	name  string
	purge bool
}

// drop removes packages together.
func (s *shop) drop(ctx context.Context, removals []removal) ([]outcome, error) {
	outcomes := make([]outcome, len(removals))
	err := s.scope.WithLockUncancelled(ctx, turn, changeLimit, func(ctx context.Context) error {
		for _, purge := range []bool{false, true} {
			if err := s.dropAs(ctx, purge, removals, outcomes); err != nil {
				return err
			}
		}
		return nil
	})
	return outcomes, err
}

// dropAs removes those that are to go with their configuration, or without. Their
// holds end, but for those that stay.
func (s *shop) dropAs(ctx context.Context, purge bool, removals []removal, outcomes []outcome) error {
	if !slices.ContainsFunc(removals, func(r removal) bool { return r.purge == purge }) {
		return nil
	}
	all, err := s.stock(ctx, s.h)
	if err != nil {
		return err
	}
	var order []int
	var names []string
	var held []installed
	for i, r := range removals {
		if it, found := all[r.name]; found && r.purge == purge && r.due(it) {
			order, names = append(order, i), append(names, r.name)
			if it.held {
				held = append(held, it)
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	if len(held) > 0 {
		if err := s.hold(ctx, s.scope, held, false); err != nil {
			return err
		}
	}
	if err := s.remove(ctx, s.h, unique(names), purge); err == nil {
		return nil
	} else if len(order) == 1 {
		outcomes[order[0]].err = errors.Join(err, s.holdAgain(ctx, held))
		return nil
	}
	for _, i := range order {
		now, err := s.stock(ctx, s.h)
		if err != nil {
			return err
		}
		it, found := now[removals[i].name]
		if !found || !removals[i].due(it) {
			continue
		}
		if err := s.remove(ctx, s.h, []string{it.name}, purge); err != nil {
			was := slices.DeleteFunc(slices.Clone(held), func(h installed) bool { return h.name != it.name })
			outcomes[i].err = errors.Join(err, s.holdAgain(ctx, was))
		}
	}
	return nil
}

// due reports whether there is something to remove.
func (r removal) due(it installed) bool { return it.part != rest || r.purge }

// holdAgain holds what was held and could not be removed.
func (s *shop) holdAgain(ctx context.Context, held []installed) error {
	if len(held) == 0 {
		return nil
	}
	return s.hold(ctx, s.scope, held, true)
}

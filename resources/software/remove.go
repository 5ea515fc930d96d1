package software

import "context"

// removal is a package that is to go.
type removal struct {
	name  string
	purge bool
}

// drop removes packages together.
func (s *shop) drop(ctx context.Context, removals []removal) ([]outcome, error) {
	outcomes := make([]outcome, len(removals))
	err := s.hosts.Alone(ctx, s.h, turn, func() error {
		for _, purge := range []bool{false, true} {
			if err := s.dropAs(ctx, purge, removals, outcomes); err != nil {
				return err
			}
		}
		return nil
	})
	return outcomes, err
}

func (s *shop) dropAs(ctx context.Context, purge bool, removals []removal, outcomes []outcome) error {
	var order []int
	var names []string
	var all stock
	for i, r := range removals {
		if r.purge != purge {
			continue
		}
		if all == nil {
			var err error
			if all, err = s.stock(ctx, s.h); err != nil {
				return err
			}
		}
		if it, found := all[r.name]; found && (it.part != rest || purge) {
			order, names = append(order, i), append(names, r.name)
		}
	}
	if len(order) == 0 {
		return nil
	}
	if err := s.remove(ctx, s.h, unique(names), purge); err == nil {
		return nil
	} else if len(order) == 1 {
		outcomes[order[0]].err = err
		return nil
	}
	for _, i := range order {
		now, err := s.stock(ctx, s.h)
		if err != nil {
			return err
		}
		if it, found := now[removals[i].name]; found && (it.part != rest || purge) {
			outcomes[i].err = s.remove(ctx, s.h, []string{removals[i].name}, purge)
		}
	}
	return nil
}

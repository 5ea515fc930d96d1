package packages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// wish is how a package is to be.
type wish struct {
	name    string
	version Version // empty is any
	hold    bool
	refresh bool // the index, where it does not have what is wished
	changes bool // what is there may be changed: else it is as wished, or stays and is an error
}

// outcome is what has become of a wish.
type outcome struct {
	is  installed
	err error
}

// done reports whether a package is as wished, but for its hold.
func (w wish) done(it installed, found bool) bool {
	return found && it.part == 0 && w.version.matches(it.version)
}

// supply fulfils wishes together.
func (s *shop) supply(ctx context.Context, wishes []wish) ([]outcome, error) {
	outcomes := make([]outcome, len(wishes))
	err := s.scope.WithLockUncancelled(ctx, turn, changeLimit, func(ctx context.Context) error {
		before, err := s.stock(ctx, s.h)
		if err != nil {
			return err
		}
		var open []int   // what has to be installed
		var keptOf []int // the others, which are not changed
		var kept []installed
		for i, w := range wishes {
			it, found := before[w.name]
			if err := w.adoptable(s.h, it, found); err != nil {
				outcomes[i].err = err
			} else if !w.done(it, found) {
				open = append(open, i)
			} else if !w.changes {
				keptOf, kept = append(keptOf, i), append(kept, it)
			}
		}
		lifted, err := s.lift(ctx, before, wishes, open)
		if err != nil {
			return err
		}
		after := before
		if len(open) > 0 {
			if after, err = s.install(ctx, before, wishes, open, outcomes); err != nil {
				return errors.Join(err, s.holdAgain(ctx, lifted))
			}
		}
		s.settle(ctx, after, wishes, lifted, outcomes)
		if len(kept) == 0 {
			return nil
		}
		if err := s.keep(ctx, s.h, kept); err != nil {
			for _, i := range keptOf {
				outcomes[i] = outcome{err: err} // they are not taken over; what was installed is as wished
			}
		}
		return nil
	})
	return outcomes, err
}

// lift ends the holds of what is to be changed: it would stay as it is, and dnf would
// not even show what else there is.
func (s *shop) lift(ctx context.Context, before stock, wishes []wish, open []int) (lifted []installed, err error) {
	for _, i := range open {
		it := before[wishes[i].name]
		if !it.held {
			continue
		}
		lifted = append(lifted, it)
		it.held = false
		before[it.name] = it
	}
	if len(lifted) > 0 {
		err = s.hold(ctx, s.scope, lifted, false)
	}
	return lifted, err
}

// install installs what is open, all at once, or each alone where that fails. What
// is there then is the answer.
func (s *shop) install(ctx context.Context, before stock, wishes []wish, open []int, outcomes []outcome) (stock, error) {
	picks, err := s.choose(ctx, wishes, open, outcomes)
	if err != nil {
		return nil, err
	}
	var order []int // those that can be had
	var all []pick
	for _, i := range open {
		if outcomes[i].err == nil {
			order, all = append(order, i), append(all, picks[i])
		}
	}
	if len(order) == 0 {
		return before, nil
	}
	failed := s.run(ctx, all)
	after, err := s.stock(ctx, s.h)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	for _, i := range order {
		it, found := after[wishes[i].name]
		if wishes[i].done(it, found) {
			continue // whatever the run has ended with, this is not what it failed for
		}
		if len(order) == 1 {
			outcomes[i].err = s.unfulfilled(wishes[i], it, found, failed)
			continue
		}
		failedAlone := s.run(ctx, []pick{picks[i]})
		if after, err = s.stock(ctx, s.h); err != nil {
			return nil, errors.Join(failedAlone, err)
		}
		if it, found := after[wishes[i].name]; !wishes[i].done(it, found) {
			outcomes[i].err = s.unfulfilled(wishes[i], it, found, failedAlone)
		}
	}
	return after, nil
}

// run installs, a second time with a new index where the old one names files that
// are no longer to be had.
func (s *shop) run(ctx context.Context, picks []pick) error {
	err := s.manager.install(ctx, s.h, picks)
	if failed, is := errors.AsType[*remotecmd.Failed](err); !is || !gone(failed.Stderr+failed.Stdout) {
		return err
	}
	if did, refused := s.fresh(ctx); refused != nil || !did {
		return err
	}
	return s.manager.install(ctx, s.h, picks)
}

// gone reports whether a manager has not found files that its index names.
func gone(said string) bool {
	for _, words := range []string{"404", "Failed to fetch", "failed retrieving file", "Cannot download", "No more mirrors"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// choose finds out what to install for each open wish. Where the index does not
// have it, it is made anew.
func (s *shop) choose(ctx context.Context, wishes []wish, open []int, outcomes []outcome) (map[int]pick, error) {
	var names []string
	for _, i := range open {
		names = append(names, wishes[i].name)
	}
	names = unique(names)
	known, err := s.available(ctx, s.h, names)
	if err != nil {
		return nil, err
	}
	var refused error // to renew the index
	for _, i := range open {
		if _, ok := wishes[i].pick(known); ok || !wishes[i].refresh || s.refreshed || refused != nil {
			continue
		}
		if _, refused = s.fresh(ctx); refused != nil {
			continue
		}
		if known, err = s.available(ctx, s.h, names); err != nil {
			return nil, err
		}
	}
	picks := map[int]pick{}
	for _, i := range open {
		p, ok := wishes[i].pick(known)
		switch picks[i] = p; {
		case ok:
		case wishes[i].refresh && refused != nil:
			outcomes[i].err = fmt.Errorf("the index does not have %s, and cannot be renewed: %w", wishes[i].what(), refused)
		default:
			outcomes[i].err = s.unknown(ctx, wishes[i], known[wishes[i].name])
		}
	}
	return picks, nil
}

// pick is what to install of what there is.
func (w wish) pick(known map[string][]string) (pick, bool) {
	versions := known[w.name]
	if w.version == "" {
		return pick{name: w.name}, len(versions) > 0
	}
	for _, version := range versions {
		if w.version.matches(version) {
			return pick{w.name, version}, true
		}
	}
	return pick{}, false
}

// settle holds what is to be held, and what was held before where its wish came to
// nothing, and says how everything is.
func (s *shop) settle(ctx context.Context, after stock, wishes []wish, lifted []installed, outcomes []outcome) {
	now := map[bool][]installed{}
	for i, w := range wishes {
		it := after[w.name]
		held := w.hold
		if outcomes[i].err != nil {
			held = it.held || slices.ContainsFunc(lifted, func(l installed) bool { return l.name == w.name })
		}
		if it.name != "" && it.held != held {
			now[held] = append(now[held], it)
		}
		outcomes[i].is = it
	}
	for _, held := range []bool{false, true} {
		if len(now[held]) == 0 {
			continue
		}
		err := s.hold(ctx, s.scope, now[held], held)
		for i, w := range wishes {
			switch {
			case w.hold != held || outcomes[i].is.held == held || outcomes[i].err != nil:
			case err != nil:
				outcomes[i].err = err
			default:
				outcomes[i].is.held = held
			}
		}
	}
}

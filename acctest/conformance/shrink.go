package conformance

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// shrinker makes a case that breaks a law smaller.
type shrinker struct {
	s *subject
	// breaks reports whether a case still breaks the law.
	breaks func(steps []step) bool
	until  time.Time
	// byFailure: applies are broken off at a place, not at a time.
	byFailure bool
}

// smallest is the smallest case that was found.
func (k *shrinker) smallest(ctx context.Context, steps []step) []step {
	steps = k.dropMany(ctx, k.dropSteps(ctx, steps))
	for again := true; again; {
		again = false
		// After a success the search goes on at the same place: what was in vain
		// before it is tried again in the next round only.
		for from := 0; ; {
			next, at := k.smaller(ctx, steps, from)
			if next == nil {
				break
			}
			steps, from, again = next, at, true
		}
	}
	return steps
}

func (k *shrinker) expired(ctx context.Context) bool {
	return ctx.Err() != nil || time.Now().After(k.until)
}

// smaller is the first candidate from the given one on that still breaks the law,
// and its number, or nil.
func (k *shrinker) smaller(ctx context.Context, steps []step, from int) ([]step, int) {
	at := -1
	for candidate := range k.candidates(steps) {
		if at++; at < from {
			continue
		}
		if k.expired(ctx) {
			break
		}
		if k.breaks(candidate) {
			return candidate, at
		}
	}
	return nil, 0
}

// dropSteps leaves out steps, from the last one on: those after the law was broken
// never were taken.
func (k *shrinker) dropSteps(ctx context.Context, steps []step) []step {
	for i := len(steps) - 1; i >= 0 && len(steps) > 1 && !k.expired(ctx); i-- {
		if i == 0 && steps[0].isWhole() != steps[1].isWhole() {
			break
		}
		if fewer := slices.Delete(slices.Clone(steps), i, i+1); k.breaks(fewer) {
			steps = fewer
		}
	}
	return steps
}

// dropMany leaves out what is optional in large parts at first: most of it mostly
// has nothing to do with the law.
func (k *shrinker) dropMany(ctx context.Context, steps []step) []step {
	var names []string
	for name, attr := range k.s.body.Attributes {
		if attr.Optional {
			names = append(names, name)
		}
	}
	for name, nested := range k.s.body.BlockTypes {
		if nested.MinItems == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for size := len(names); size > 1; size = (size + 1) / 2 {
		for i := 0; i < len(names) && !k.expired(ctx); {
			end := min(i+size, len(names))
			fewer := k.dropping(steps, names[i:end])
			if !k.breaks(fewer) {
				i = end
				continue
			}
			steps, names = fewer, slices.Delete(names, i, end)
		}
		if size == 2 {
			break
		}
	}
	return steps
}

// dropping are the steps with the attributes and blocks left out everywhere.
func (k *shrinker) dropping(steps []step, names []string) []step {
	out := slices.Clone(steps)
	for i, s := range out {
		if !s.hasConfig() {
			continue
		}
		values := s.config.AsValueMap()
		for _, name := range names {
			if attr := k.s.body.Attributes[name]; attr != nil {
				values[name] = attr.EmptyValue()
			} else {
				values[name] = k.s.body.BlockTypes[name].EmptyValue()
			}
		}
		out[i].config = cty.ObjectVal(values)
	}
	return out
}

// candidates are smaller cases, the most daring ones first. Each has a step less,
// or is nearer to nothing, so that there is an end.
func (k *shrinker) candidates(steps []step) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		for i := range steps {
			if fewer := len(steps) > 1 && (i > 0 || steps[0].isWhole() == steps[1].isWhole()); fewer && !yield(slices.Delete(slices.Clone(steps), i, i+1)) {
				return
			}
		}
		for i, s := range steps {
			for _, simpler := range k.simplerSteps(s) {
				changed := slices.Clone(steps)
				changed[i] = simpler
				if !yield(changed) {
					return
				}
			}
		}
		for i, s := range steps {
			if !s.hasConfig() {
				continue
			}
			for e := range k.edits(s.config) {
				// First in all steps with the same value, else what changes
				// between them would be another thing.
				all, n := everywhere(steps, s.config, e)
				if n > 1 && !yield(all) {
					return
				}
				one := slices.Clone(steps)
				if v, ok := e.apply(s.config); ok {
					one[i].config = v
					if !yield(one) {
						return
					}
				}
			}
		}
	}
}

// simplerSteps are steps with less happening in them.
func (k *shrinker) simplerSteps(s step) []step {
	var out []step
	if s.isInterrupted() {
		plain := s
		plain.kind, plain.after = stepApply, 0
		if s.kind == stepDestroyTwice {
			plain.kind = stepDestroy
		}
		out = append(out, plain)
		if s.after > 0 && k.byFailure {
			sooner := s
			sooner.after--
			out = append(out, sooner)
		}
	}
	if s.kind == stepOther {
		plain := s
		plain.kind = stepApply
		out = append(out, plain)
	}
	if s.kind == stepRunFails {
		plain := s
		plain.kind = stepRun
		out = append(out, plain)
	}
	if len(s.unknown) > 0 {
		known := s
		known.unknown = nil
		out = append(out, known)
	}
	for i := range s.unknown {
		if len(s.unknown) > 1 {
			fewer := s
			fewer.unknown = slices.Delete(slices.Clone(s.unknown), i, i+1)
			out = append(out, fewer)
		}
	}
	return out
}

// everywhere makes the edit in each configuration that has the same value there.
func everywhere(steps []step, config cty.Value, e edit) ([]step, int) {
	was := valueAt(config, e.path)
	out, n := slices.Clone(steps), 0
	for i, s := range out {
		if !s.hasConfig() {
			continue
		}
		if here := valueAt(s.config, e.path); here == cty.NilVal || !here.RawEquals(was) {
			continue
		}
		if v, ok := e.apply(s.config); ok {
			out[i].config = v
			n++
		}
	}
	return out, n
}

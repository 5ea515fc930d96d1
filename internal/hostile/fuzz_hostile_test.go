package hostile_test

import (
	"maps"
	"slices"
	"testing"
)

// FuzzHostileDemo asks the provider that uses everything about managed resources
// what no client asks.
func FuzzHostileDemo(f *testing.F) { fuzzWildly(f, must(f, demoWorld)) }

// FuzzHostilePosix asks the provider for files, directories and links so.
func FuzzHostilePosix(f *testing.F) { fuzzWildly(f, must(f, posixWorld)) }

func fuzzWildly(f *testing.F, w *world) {
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	types := slices.Sorted(maps.Keys(w.schema.ResourceTypes))
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			w.life(ctx, r, pick(r, types...)).wildly(4)
		})
	})
}

// FuzzHostileFamilies asks all other families what no client asks.
func FuzzHostileFamilies(f *testing.F) {
	w := must(f, demoWorld)
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			if oneIn(r, 2) {
				w.life(ctx, r, "demo_page").apply(configOf(r, w.schema.ResourceTypes["demo_page"].Body))
			}
			w.visit(ctx, r, false).some(4)
		})
	})
}

package hostile_test

import (
	"maps"
	"slices"
	"testing"
)

// FuzzHostileDemo sends invalid requests about managed resources of the demo
// provider.
func FuzzHostileDemo(f *testing.F) { fuzzWildly(f, must(f, demoWorld)) }

// FuzzHostilePosix sends invalid requests about files, directories and symbolic
// links.
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

// FuzzHostileFamilies sends invalid requests about all other kinds of types.
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

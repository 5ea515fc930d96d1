package hostile_test

import (
	"maps"
	"slices"
	"testing"
)

// FuzzLifeDemo sends valid sequences of requests about objects of the demo
// provider.
func FuzzLifeDemo(f *testing.F) { fuzzLife(f, must(f, demoWorld)) }

// FuzzLifePosix sends valid sequences of requests about files, directories and
// symbolic links.
func FuzzLifePosix(f *testing.F) { fuzzLife(f, must(f, posixWorld)) }

func fuzzLife(f *testing.F, w *world) {
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	types := slices.Sorted(maps.Keys(w.schema.ResourceTypes))
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			w.life(ctx, r, pick(r, types...)).live(6)
		})
	})
}

// FuzzLifeFamilies sends valid requests about all other kinds of types, with
// some existing objects.
func FuzzLifeFamilies(f *testing.F) {
	w := must(f, demoWorld)
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			for range r.IntN(3) {
				w.life(ctx, r, "demo_page").apply(configOf(r, w.schema.ResourceTypes["demo_page"].Body))
			}
			w.visit(ctx, r, true).some(3)
		})
	})
}

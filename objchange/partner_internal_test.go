package objchange

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestMatchByKey checks that matchByKey returns true only if trying all pairs finds a match
// for each element, and that for large sets it always returns true in that case.
func TestMatchByKey(t *testing.T) {
	t.Parallel()
	quick := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 8 + r.IntN(8)
		want, got := make([]cty.Value, n), make([]cty.Value, n)
		for i := range n {
			planned := map[string]cty.Value{
				"port": cty.NumberIntVal(int64(r.IntN(6))), "proto": cty.StringVal([]string{"tcp", "udp", "1:x"}[r.IntN(3)]),
				"dark": cty.NullVal(cty.Bool), "serial": cty.UnknownVal(cty.Number), "tags": cty.ListVal([]cty.Value{cty.StringVal("t")}),
			}
			actual := maps.Clone(planned)
			actual["serial"] = cty.NumberIntVal(int64(r.IntN(4)))
			switch seed % 5 {
			case 1:
				actual["port"] = cty.NumberIntVal(int64(r.IntN(6)))
			case 2:
				actual["tags"] = cty.ListVal([]cty.Value{cty.StringVal([]string{"t", "u"}[r.IntN(2)])})
			case 3:
				if r.IntN(4) == 0 {
					planned["proto"] = cty.UnknownVal(cty.String)
				}
			}
			want[i], got[i] = cty.ObjectVal(planned), cty.ObjectVal(actual)
		}
		want, got = elements(cty.SetVal(want)), elements(cty.SetVal(got))
		allowed := func(a, b []cty.Value, compatible func(x, y cty.Value) bool) bool {
			return !slices.ContainsFunc(a, func(x cty.Value) bool {
				return !slices.ContainsFunc(b, func(y cty.Value) bool { return compatible(x, y) })
			})
		}
		slow := len(got) <= len(want) &&
			allowed(want, got, func(w, g cty.Value) bool { return compatibleElements(w, g, nil) }) &&
			allowed(got, want, func(g, w cty.Value) bool { return compatibleElements(w, g, nil) })
		fast := matchByKey(want, got, nil)
		if fast {
			quick++
		}
		if fast && !slow {
			t.Fatalf("seed %d: matchByKey returned true, want false", seed)
		}
		if slow && !fast && len(want) >= fewElements && len(got) <= len(want) {
			t.Fatalf("seed %d: matchByKey returned false, want true", seed)
		}
	}
	if quick < 50 {
		t.Errorf("matchByKey returned true %d times, want at least 50", quick)
	}
}

package objchange

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// LongestCommonSubsequence returns a longest sequence of values that are in both
// xs and ys in this order, though not necessarily next to each other. An unknown
// value equals no other value, and marks are ignored. The result has the values of xs.
func LongestCommonSubsequence(xs, ys []cty.Value) []cty.Value {
	same := func(i, j int) bool {
		x, _ := xs[i].UnmarkDeep()
		y, _ := ys[j].UnmarkDeep()
		return x.IsWhollyKnown() && y.IsWhollyKnown() && Equal(x, y)
	}
	// longest[i][j] is the length for xs[i:] and ys[j:].
	longest := make([][]int, len(xs)+1)
	longest[len(xs)] = make([]int, len(ys)+1)
	for i := range slices.Backward(xs) {
		longest[i] = make([]int, len(ys)+1)
		for j := range slices.Backward(ys) {
			if same(i, j) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	common := make([]cty.Value, 0, longest[0][0])
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch {
		case same(i, j):
			common = append(common, xs[i])
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

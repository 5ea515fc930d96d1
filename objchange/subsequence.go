package objchange

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// ValueEqual reports whether two values and their marks are equal, for
// [LongestCommonSubsequence]. A value that is not wholly known equals no value.
func ValueEqual(x, y cty.Value) bool {
	return x.IsWhollyKnown() && y.IsWhollyKnown() && x.RawEquals(y)
}

// LongestCommonSubsequence returns a longest sequence of elements that are in both
// xs and ys in the same order, though not necessarily next to each other. The result has the
// elements of xs.
func LongestCommonSubsequence[T any](xs, ys []T, equals func(x, y T) bool) []T {
	// longest[i][j] is the length for xs[i:] and ys[j:].
	longest := make([][]int, len(xs)+1)
	longest[len(xs)] = make([]int, len(ys)+1)
	for i := range slices.Backward(xs) {
		longest[i] = make([]int, len(ys)+1)
		for j := range slices.Backward(ys) {
			if equals(xs[i], ys[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	common := make([]T, 0, longest[0][0])
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch {
		case equals(xs[i], ys[j]):
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

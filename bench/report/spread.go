package report

import (
	"fmt"
	"slices"
)

// Spread is the median of several values and their range.
type Spread struct {
	Median float64

	low, high float64
	values    int
}

// NewSpread returns the spread of values, or zero if there are none.
func NewSpread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{Median: Median(values), low: slices.Min(values), high: slices.Max(values), values: len(values)}
}

// String returns the median with two decimals, and the range of three or more values in
// brackets. Without values it returns a dash.
func (s Spread) String() string {
	switch {
	case s.values == 0:
		return "–"
	case s.values < 3:
		return fmt.Sprintf("%.2f", s.Median)
	default:
		return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.low, s.high)
	}
}

// Median returns the median of values, or zero if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

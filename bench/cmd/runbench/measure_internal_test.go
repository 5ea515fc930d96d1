//go:build linux

package main

import (
	"strings"
	"testing"
	"time"
)

func TestRatioIsPairedWithinRounds(t *testing.T) {
	t.Parallel()
	seconds := func(walls ...float64) []cost {
		var costs []cost
		for _, wall := range walls {
			costs = append(costs, cost{wall: time.Duration(wall * float64(time.Second))})
		}
		return costs
	}
	r := result{plan: plan{runs: 3}, costs: map[string]map[string][]cost{
		// The second round is disturbed.
		"one":     {apply: seconds(2, 110, 2.4)},
		"other":   {apply: seconds(1, 100, 2)},
		"slow":    {apply: seconds(6.6667)},
		"without": {noop: seconds(1, 1, 1)},
	}}
	if got, want := r.ratio(apply, "one", "other").String(), "1.20 (1.10–2.00)"; got != want {
		t.Errorf("the ratio is %q, want %q", got, want)
	}
	if got, want := r.ratio(apply, "one", "slow").String(), "0.30"; got != want {
		t.Errorf("the ratio to a contender with one round is %q, want %q", got, want)
	}
	if got, want := r.ratio(apply, "one", "without").String(), "–"; got != want {
		t.Errorf("the ratio to a contender without the step is %q, want %q", got, want)
	}
	if got, want := r.difference(apply, "one", "other").String(), "1.00 (0.40–10.00)"; got != want {
		t.Errorf("the difference is %q, want %q", got, want)
	}
	if best, ok := r.best("one", apply); !ok || best.wall != 2*time.Second {
		t.Errorf("the best wall time is %v (found: %t), want 2s", best.wall, ok)
	}
}

// TestMemory checks that the peak memory is the highest of all steps and rounds, and that a missed aim is marked.
func TestMemory(t *testing.T) {
	t.Parallel()
	peaks := func(mb ...int64) []cost {
		var costs []cost
		for _, peak := range mb {
			costs = append(costs, cost{usage: usage{PeakKB: peak << 10}})
		}
		return costs
	}
	results := []result{
		{plan: plan{files: 200}, costs: map[string]map[string][]cost{"far": {apply: peaks(30, 39), noop: peaks(20)}, "local": {apply: peaks(99)}}},
		{plan: plan{files: 2000}, costs: map[string]map[string][]cost{"far": {apply: peaks(44), noop: peaks(45)}}},
	}
	const met = "Largest peak memory of the provider, far: 39.0 MB with 200 files (aim: less than 40), 45.0 MB with 2000 files.\n"
	if got := memoryText(results, "far"); got != met {
		t.Errorf("got %q, want %q", got, met)
	}
	results[0].costs["far"][noop] = peaks(40)
	if got, want := memoryText(results[:1], "far"), "40.0 MB with 200 files (aim: less than 40, missed)"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFileContentHasItsSize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{64, 1 << 20} {
		if got := len(fileContent(2, 7, size)); got != size {
			t.Errorf("the content has %d bytes, want %d", got, size)
		}
	}
}

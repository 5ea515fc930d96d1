package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/bench"
)

// row is the measurements of one case, with samples in the order of the contenders.
type row struct {
	bench   bench.Case
	samples []bench.Sample
}

// markdown returns a table with a row for each case: medians and allocations of each
// contender, the two ratios, and whether they meet the limits.
func markdown(contenders []bench.Contender, rows []row) string {
	index := func(name string) int {
		return slices.IndexFunc(contenders, func(c bench.Contender) bool { return c.Name == name })
	}
	floor, ours, framework := index("floor"), index("ours"), index("framework")

	var b strings.Builder
	head, line := "| RPC, object |", "|---|"
	for _, c := range contenders {
		head += fmt.Sprintf(" %s µs (allocs) |", c.Name)
		line += "--:|"
	}
	fmt.Fprintf(&b, "%s ours ÷ floor | framework ÷ ours |\n%s--:|--:|\n", head, line)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s, %s |", r.bench.RPC, r.bench.Size)
		for _, s := range r.samples {
			fmt.Fprintf(&b, " %s (%.0f) |", micros(s.Median()), s.Allocs)
		}
		bar := barOf(r.bench)
		toFloor, toFramework := r.samples[ours].Ratio(r.samples[floor]), r.samples[framework].Ratio(r.samples[ours])
		fmt.Fprintf(&b, " %.2f%s | %.1f%s |\n", toFloor, verdict(toFloor > bar.floor, "≤", bar.floor),
			toFramework, verdict(toFramework < bar.framework, "≥", bar.framework))
	}
	return b.String()
}

// micros formats a time in nanoseconds with its significant digits.
func micros(ns float64) string {
	us := ns / 1e3
	switch {
	case us < 1:
		return fmt.Sprintf("%.3f", us)
	case us < 1000:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.0f", us)
}

// bar is the limit for the runtime in a case: at most floor times the time of the
// hand-written server, and at least framework times faster than the framework; zero is no
// limit.
type bar struct{ floor, framework float64 }

func barOf(c bench.Case) bar {
	b := bar{floor: 1.5, framework: 4}
	switch {
	case c.RPC == "schema-process":
		// Starting a process and the handshake dominate, for all contenders.
		b.framework = 0
	case c.RPC == "upgrade":
		b.floor = 1
	case c.Size == "small":
		b.framework = 6
	}
	return b
}

// verdict marks a missed limit.
func verdict(missed bool, relation string, bar float64) string {
	if !missed {
		return ""
	}
	return fmt.Sprintf(" (missed: %s %g)", relation, bar)
}

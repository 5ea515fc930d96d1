// Command ratios measures the contenders of package bench in turn in one process and
// prints a Markdown table of medians and ratios.
//
//	go run ./cmd/ratios                                  # everything
//	go run ./cmd/ratios -run plan-update/big             # one RPC and size
//	go run ./cmd/ratios -write ../docs/benchmarks.md     # into the page
//	go run ./cmd/ratios -objects 4 -rounds 1 -batch 0    # checks that each case works
//
// Elsewhere: package bench has the requests, and BenchmarkRPC for profiles; cmd/runbench
// measures whole runs of OpenTofu.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/bench"
	"github.com/posixform/terraform-provider-posix/bench/report"
)

type options struct {
	run     string
	objects int
	rounds  int
	batch   time.Duration
	write   string
}

func main() {
	bench.ServeIfRequested()
	var o options
	flag.StringVar(&o.run, "run", "", "measure only the cases whose rpc/size matches this regular expression")
	flag.IntVar(&o.objects, "objects", bench.Objects, "nested objects in a list, map or set")
	flag.IntVar(&o.rounds, "rounds", 31, "rounds; each measures every contender once")
	flag.DurationVar(&o.batch, "batch", 15*time.Millisecond, "time for one contender in one round")
	flag.StringVar(&o.write, "write", "", "Markdown page whose section \"rpc\" is replaced")
	flag.Parse()

	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cases, err := selectCases(o.run, o.objects)
	if err != nil {
		return err
	}
	contenders, err := bench.Contenders(ctx)
	if err != nil {
		return err
	}
	conditions := report.Conditions()
	var rows []row
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		samples, err := bench.Measure(ctx, c, contenders, o.rounds, o.batch)
		if err != nil {
			return err
		}
		rows = append(rows, row{bench: c, samples: samples})
	}
	table := markdown(contenders, rows)
	fmt.Print(table)
	if o.write == "" {
		return nil
	}
	return report.Write(o.write, "rpc", fmt.Sprintf("%s %d rounds of %v for each contender.\n\n%s", conditions, o.rounds, o.batch, table))
}

func selectCases(pattern string, objects int) ([]bench.Case, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	cases, err := bench.Cases(objects)
	if err != nil {
		return nil, err
	}
	cases = slices.DeleteFunc(cases, func(c bench.Case) bool { return !match.MatchString(c.Name()) })
	if len(cases) == 0 {
		return nil, fmt.Errorf("no case matches %q", pattern)
	}
	return cases, nil
}

// row has the measurements of one case, with samples in the order of the contenders.
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
		limit := limitsOf(r.bench)
		toFloor, toFramework := r.samples[ours].Ratio(r.samples[floor]), r.samples[framework].Ratio(r.samples[ours])
		fmt.Fprintf(&b, " %.2f%s | %.1f%s |\n", toFloor, missedText(toFloor > limit.floor, "≤", limit.floor),
			toFramework, missedText(toFramework < limit.framework, "≥", limit.framework))
	}
	return b.String()
}

// micros returns a time in nanoseconds as text in microseconds. Longer times have fewer
// decimals.
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

// limits are the limits for the runtime in a case: at most floor times the time of the
// hand-written server, and at least framework times faster than the framework. A framework
// of zero means no limit.
type limits struct{ floor, framework float64 }

func limitsOf(c bench.Case) limits {
	b := limits{floor: 1.5, framework: 4}
	switch {
	case c.RPC == "schema-process":
		// For all contenders, most of the time is spent on the process start and the handshake.
		b.framework = 0
	case c.RPC == "upgrade":
		b.floor = 1
	case c.Size == "small":
		b.framework = 6
	}
	return b
}

// missedText returns a note about a missed limit, or "".
func missedText(missed bool, relation string, limit float64) string {
	if !missed {
		return ""
	}
	return fmt.Sprintf(" (missed: %s %g)", relation, limit)
}

// Command ratios measures the contenders of package bench in turns in one process and
// prints a Markdown table of medians and ratios.
//
//	go run ./cmd/ratios                                  # everything
//	go run ./cmd/ratios -run plan-update/big             # one RPC and size
//	go run ./cmd/ratios -write ../docs/benchmarks.md     # into the page
//	go run ./cmd/ratios -objects 4 -rounds 1 -batch 0    # checks that each one works
//
// Elsewhere: the requests are package bench, profiles are taken of its BenchmarkRPC, and
// whole runs of OpenTofu are cmd/runbench.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
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
	bench.ServeIfAsked()
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

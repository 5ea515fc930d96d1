// Command ratios measures the contenders of package bench in turns in one
// process and prints a Markdown table of medians and ratios.
//
//	go run ./cmd/ratios                                  # everything
//	go run ./cmd/ratios -run plan-update/big             # one RPC and size
//	go run ./cmd/ratios -run read/small -impl ours -cpuprofile cpu.out
//	go run ./cmd/ratios -write ../docs/benchmarks.md     # into the page
//	go run ./cmd/ratios -impl all -objects 4 -rounds 1 -batch 0  # each one works
//
// Elsewhere: the requests are package bench, whole OpenTofu runs are
// cmd/applybench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	goruntime "runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/bench"
	"github.com/posixform/terraform-provider-posix/bench/report"
)

type options struct {
	run        string
	impl       string
	objects    int
	rounds     int
	batch      time.Duration
	write      string
	cpuprofile string
	memprofile string
}

func main() {
	bench.ServeIfAsked()
	var o options
	flag.StringVar(&o.run, "run", "", "measure only the cases whose rpc/size matches this regular expression")
	flag.StringVar(&o.impl, "impl", "floor,ours,framework", "contenders, comma separated, or all; floor-all is there too")
	flag.IntVar(&o.objects, "objects", bench.Objects, "nested objects in a list, map or set")
	flag.IntVar(&o.rounds, "rounds", 31, "rounds; each measures every contender once")
	flag.DurationVar(&o.batch, "batch", 15*time.Millisecond, "time for one contender in one round")
	flag.StringVar(&o.write, "write", "", "Markdown page whose section \"rpc\" is replaced")
	flag.StringVar(&o.cpuprofile, "cpuprofile", "", "file for a CPU profile")
	flag.StringVar(&o.memprofile, "memprofile", "", "file for a profile of all allocations")
	flag.Parse()

	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

func run(o options) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cases, err := selectCases(o.run, o.objects)
	if err != nil {
		return err
	}
	contenders, err := selectContenders(ctx, strings.Split(o.impl, ","))
	if err != nil {
		return err
	}
	if o.memprofile != "" {
		goruntime.MemProfileRate = 512
		defer func() { err = errors.Join(err, writeAllocs(o.memprofile)) }()
	}
	if o.cpuprofile != "" {
		f, createErr := os.Create(o.cpuprofile)
		if createErr != nil {
			return createErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	conditions := report.Conditions()
	rows, err := measure(ctx, cases, contenders, o)
	if err != nil {
		return err
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

func selectContenders(ctx context.Context, names []string) ([]bench.Contender, error) {
	all, err := bench.Contenders(ctx)
	if err != nil {
		return nil, err
	}
	if slices.Equal(names, []string{"all"}) {
		return all, nil
	}
	var out []bench.Contender
	for _, name := range names {
		i := slices.IndexFunc(all, func(c bench.Contender) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no contender %q", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func measure(ctx context.Context, cases []bench.Case, contenders []bench.Contender, o options) ([]row, error) {
	rows := make([]row, 0, len(cases))
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		samples, err := bench.Measure(ctx, c, contenders, o.rounds, o.batch)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{bench: c, samples: samples})
	}
	return rows, nil
}

func writeAllocs(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

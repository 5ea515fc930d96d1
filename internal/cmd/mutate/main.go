package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

type options struct {
	dir      string
	n, seed  int
	short    bool
	exec     string
	tests    []string // patterns; by default the package and those below it
	list     bool
	jsonFile string
	onlyFile string
	packages []string
}

func main() {
	var o options
	var tests string
	flag.StringVar(&o.dir, "C", ".", "change to `directory` first")
	flag.IntVar(&o.n, "n", 60, "how many mutants of each package to try")
	flag.IntVar(&o.seed, "seed", 1, "which mutants to try")
	flag.BoolVar(&o.short, "short", false, "run go test -short")
	flag.StringVar(&o.exec, "exec", "", "the `program` that starts test binaries, as in go test")
	flag.StringVar(&tests, "tests", "", "the `packages` whose tests to run; default: the package and those below it")
	flag.BoolVar(&o.list, "list", false, "print the mutants in the order in which they are tried, and run nothing")
	flag.StringVar(&o.jsonFile, "json", "", "write the outcomes to `file`")
	flag.StringVar(&o.onlyFile, "only", "", "try the survivors in a `file` written by -json; default packages: those in it")
	flag.Parse()
	o.tests, o.packages = strings.Fields(tests), flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run writes the report to out, and the outcome of each mutant to progress.
func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	o.dir = dir
	var only *report
	if o.onlyFile != "" {
		if only, err = readReport(o.onlyFile); err != nil {
			return err
		}
		if len(o.packages) == 0 {
			o.packages = only.packages()
		}
	}
	if len(o.packages) == 0 {
		return errors.New("name the packages to change, such as ./guard")
	}
	packages, err := listPackages(ctx, o.dir, o.packages)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	written := report{Seed: o.seed, Short: o.short}
	for _, pkg := range packages {
		mutants, err := collect(o.dir, pkg)
		if err != nil {
			return err
		}
		total := len(mutants)
		shuffle(mutants, o.seed)
		n := o.n
		if only != nil {
			var gone int
			mutants, gone = only.survivorsAmong(pkg.ImportPath, mutants)
			n = len(mutants)
			if gone > 0 {
				fmt.Fprintf(progress, "%s: %d survivors no longer exist\n", pkg.ImportPath, gone)
			}
		}
		if o.list {
			for i := range mutants {
				fmt.Fprintln(out, &mutants[i])
			}
			continue
		}
		results, failed := try(ctx, o, scratch, pkg.ImportPath, mutants, n, progress)
		written.Packages = append(written.Packages, packageReport{pkg.ImportPath, total, results})
		if o.jsonFile != "" {
			if err := written.write(o.jsonFile); err != nil {
				return errors.Join(failed, err)
			}
		}
		if failed != nil { // results so far are not lost
			return errors.Join(failed, written.print(out))
		}
	}
	if o.list {
		return nil
	}
	return written.print(out)
}

func try(ctx context.Context, o options, scratch, pkg string, mutants []mutant, n int, progress io.Writer) ([]result, error) {
	if len(mutants) == 0 {
		return nil, nil
	}
	patterns := o.tests
	if len(patterns) == 0 {
		patterns = []string{pkg + "/..."}
	}
	tests, err := testsOf(ctx, o.dir, pkg, patterns)
	if err != nil {
		return nil, err
	}
	j := judge{dir: o.dir, scratch: scratch, tests: tests, short: o.short, exec: o.exec}
	if err := j.clean(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", pkg, err)
	}
	fmt.Fprintf(progress, "%s: %d mutants, tests in %s, timeout %s\n", pkg, len(mutants), strings.Join(tests, " "), j.timeout)
	results, err := j.trySample(ctx, mutants, n, func(r result) {
		fmt.Fprintf(progress, "%-13s %6.1fs %s\n", r.Outcome, r.Seconds, &r.mutant)
	})
	place := map[string]int{}
	for i := range mutants {
		place[mutants[i].id()] = i
	}
	slices.SortFunc(results, func(a, b result) int { return place[a.id()] - place[b.id()] })
	return results, err
}

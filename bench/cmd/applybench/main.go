//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

type options struct {
	plans       []plan
	contenders  []string
	destroyUpTo int
	repo        string
	write       string
}

// plan is how often to measure each contender with so many files.
type plan struct{ files, runs int }

func main() {
	if command := os.Getenv(wrapEnv); command != "" {
		os.Exit(wrap(command))
	}
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "applybench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("applybench", flag.ContinueOnError)
	plans := flags.String("n", "1000x3,5000x1", "how many files, and how many runs of each contender (the best counts), comma separated")
	names := flags.String("contenders", "floor,ours,framework", "comma separated; also: "+strings.Join(known(), ", "))
	flags.IntVar(&o.destroyUpTo, "destroy-up-to", 1000, "time destroy up to this number of files: the engine is slow at it")
	flags.StringVar(&o.repo, "repo", "..", "root of the repository")
	flags.StringVar(&o.write, "write", "", "Markdown page whose section \"apply\" is replaced")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(*plans, ",") {
		files, runs, _ := strings.Cut(text, "x")
		p := plan{files: atoi(files), runs: atoi(cmp.Or(runs, "1"))}
		if p.files < 1 || p.runs < 1 {
			return o, fmt.Errorf("-n %s: want a number of files, or FILESxRUNS", text)
		}
		o.plans = append(o.plans, p)
	}
	o.contenders = strings.Split(*names, ",")
	var err error
	o.repo, err = filepath.Abs(o.repo)
	return o, err
}

// atoi returns -1 for what is no number.
func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

func run(o options) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	engine, err := findEngine(o.repo)
	if err != nil {
		return err
	}
	conditions := report.Conditions()
	scratch, err := os.MkdirTemp("", "applybench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	contenders, err := prepare(ctx, o.repo, scratch, o.contenders)
	if err != nil {
		return err
	}
	var results []result
	for _, p := range o.plans {
		n := p.files
		r := newResult(p, contenders)
		for i := range p.runs {
			for k := range contenders {
				// Each run begins with another contender.
				c := contenders[(i+k)%len(contenders)]
				phases, err := measure(ctx, engine, filepath.Join(scratch, "work"), c, n, n <= o.destroyUpTo)
				if err != nil {
					return fmt.Errorf("%s, %d files: %w", c.name, n, err)
				}
				r.add(c.name, phases)
				fmt.Fprintf(os.Stderr, "%d files, run %d, %s: %s\n", n, i+1, c.name, phases)
			}
		}
		results = append(results, r)
	}
	table := markdown(contenders, results)
	fmt.Print(table)
	if o.write == "" {
		return nil
	}
	return report.Write(o.write, "apply", conditions+"\n\n"+table)
}

// findEngine returns the OpenTofu or Terraform binary.
func findEngine(repo string) (string, error) {
	if path := os.Getenv("POSIX_TF"); path != "" {
		return path, nil
	}
	path := filepath.Join(repo, ".cache", "bin", "tofu")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no engine: set POSIX_TF, or build OpenTofu to %s with make: %w", path, err)
	}
	return path, nil
}

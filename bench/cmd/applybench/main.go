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
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

type options struct {
	plans       []plan
	contenders  []string
	destroyUpTo int
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
	names := flags.String("contenders", "floor,framework,twin,ours", "comma separated, or "+everyone+"; also: "+strings.Join(known(), ", "))
	flags.IntVar(&o.destroyUpTo, "destroy-up-to", 1000, "time destroy up to this number of files: the engine is slow at it")
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
	return o, nil
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
	engine, _, err := tfcli.FromEnvironment().Find(ctx)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, ok := tfcli.RepositoryRoot(here)
	if !ok {
		return errors.New("run it inside the repository: the providers are built from there")
	}
	conditions := report.Conditions()
	scratch, err := os.MkdirTemp("", "applybench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	contenders, err := prepare(ctx, repo, scratch, o.contenders)
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
				phases, err := measure(ctx, engine.Path, filepath.Join(scratch, "work"), c, n, n <= o.destroyUpTo)
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
	return report.Write(o.write, "apply", fmt.Sprintf("%s %s.\n\n%s", conditions, engine, table))
}

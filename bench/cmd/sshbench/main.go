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
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

type options struct {
	plans  []plan
	delay  time.Duration
	rivals bool
	write  string
}

// plan is how often to measure each contender with so many files.
type plan struct{ files, runs int }

func main() {
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sshbench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("sshbench", flag.ContinueOnError)
	plans := flags.String("files", "200x5,2000x1", "how many files, and how many runs of each contender (the best counts), comma separated")
	flags.DurationVar(&o.delay, "round-trip", 20*time.Millisecond, "how long a round trip on the slow line takes")
	flags.BoolVar(&o.rivals, "rivals", true, "measure tar and rsync too")
	flags.StringVar(&o.write, "write", "", "Markdown page whose section \"ssh\" is replaced")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(*plans, ",") {
		files, runs, _ := strings.Cut(text, "x")
		p := plan{files: atoi(files), runs: atoi(cmp.Or(runs, "1"))}
		if p.files < 1 || p.runs < 1 {
			return o, fmt.Errorf("-files %s: want a number of files, or FILESxRUNS", text)
		}
		o.plans = append(o.plans, p)
	}
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	conditions := report.Conditions()
	scratch, err := os.MkdirTemp("", "sshbench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	e, err := newEngine(ctx, scratch)
	if err != nil {
		return err
	}
	net, err := newNetwork(scratch, o.delay)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, net.close()) }()

	contenders := []contender{e.on(net.local), e.on(net.near), e.on(net.far)}
	if o.rivals {
		contenders = append(contenders, rivals(net.far)...)
	}
	var results []result
	for _, p := range o.plans {
		r := newResult(p, contenders)
		for i := range p.runs {
			for k := range contenders {
				// Each run begins with another contender.
				c := contenders[(i+k)%len(contenders)]
				steps, err := measure(ctx, filepath.Join(scratch, "work"), c, p.files)
				if err != nil {
					return fmt.Errorf("%s, %d files: %w", c.name(), p.files, err)
				}
				r.add(c.name(), steps)
				fmt.Fprintf(os.Stderr, "%d files, run %d, %s: %s\n", p.files, i+1, c.name(), steps)
			}
		}
		results = append(results, r)
	}
	text := markdown(net, contenders, results)
	fmt.Print(text)
	if o.write == "" {
		return nil
	}
	return report.Write(o.write, "ssh", fmt.Sprintf("%s %s.\n\n%s", conditions, e.cli, text))
}

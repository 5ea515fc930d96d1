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
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

// experiment is the measurement of a subcommand.
type experiment struct {
	section string // section of the page
	plans   string // default of -n
	// contenders returns the providers and tools to compare. The caller closes the
	// network.
	contenders func(context.Context, *engine, *network) ([]contender, error)
	needsSSH   bool
	table      func([]contender, []result, time.Duration) string
}

var experiments = map[string]experiment{
	"files":  {section: "apply", plans: "1000x3,5000x1", contenders: fileContenders, table: filesTable},
	"shapes": {section: "shapes", plans: "5000x1", contenders: shapeContenders, table: shapesTable},
	"ssh":    {section: "ssh", plans: "200x5,2000x1", contenders: sshContenders, needsSSH: true, table: sshTable},
	"tree":   {section: "tree", plans: "10000x3", contenders: treeContenders, needsSSH: true, table: treeTable},
	"large":  {section: "large", plans: "1024x3", contenders: largeContenders, needsSSH: true, table: largeTable},
}

type options struct {
	experiment

	plans     []plan
	roundTrip time.Duration
	write     string
}

// plan is a number of files, and the number of measurements of each contender with it.
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
		fmt.Fprintln(os.Stderr, "runbench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	e, ok := experiments[name]
	if !ok {
		return options{}, fmt.Errorf("invalid first argument %q, want files, shapes, ssh, tree or large", name)
	}
	o := options{experiment: e}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	plans := flags.String("n", e.plans, "numbers of files (for large, the size in MiB) and of runs with them: FILESxRUNS, separated by commas")
	flags.DurationVar(&o.roundTrip, "round-trip", 20*time.Millisecond, "round-trip time of the slow network")
	flags.StringVar(&o.write, "write", "", "Markdown page whose section is replaced")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(*plans, ",") {
		files, runs, _ := strings.Cut(text, "x")
		var p plan
		var errFiles, errRuns error
		p.files, errFiles = strconv.Atoi(files)
		p.runs, errRuns = strconv.Atoi(cmp.Or(runs, "1"))
		if errFiles != nil || errRuns != nil || p.files < 1 || p.runs < 1 {
			return o, fmt.Errorf("-n %s: want a number of files, or FILESxRUNS", text)
		}
		o.plans = append(o.plans, p)
	}
	return o, nil
}

func run(o options) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	conditions := report.Conditions()
	scratch, err := os.MkdirTemp("", "runbench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	e, err := newEngine(ctx, scratch)
	if err != nil {
		return err
	}
	var n *network
	if o.needsSSH {
		if n, err = newNetwork(scratch, o.roundTrip); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, n.close()) }()
	}
	contenders, err := o.contenders(ctx, e, n)
	if err != nil {
		return err
	}
	var results []result
	for _, p := range o.plans {
		r, err := measureAll(ctx, filepath.Join(scratch, "work"), contenders, p)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	table := o.table(contenders, results, o.roundTrip)
	fmt.Print(table)
	if o.write == "" {
		return nil
	}
	versions := []string{e.cli.String()}
	for _, c := range contenders {
		if c.about != "" {
			versions = append(versions, c.about)
		}
	}
	return report.Write(o.write, o.section, fmt.Sprintf("%s %s.\n\n%s", conditions, strings.Join(versions, ", "), table))
}

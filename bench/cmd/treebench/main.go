package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

type options struct {
	files, runs int
	delay       time.Duration
	write       string
}

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "treebench:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("treebench", flag.ContinueOnError)
	flags.IntVar(&o.files, "files", 5000, "how many files the tree has")
	flags.IntVar(&o.runs, "runs", 3, "how often each is measured")
	flags.DurationVar(&o.delay, "round-trip", 20*time.Millisecond, "how long a round trip takes")
	flags.StringVar(&o.write, "write", "", "Markdown page whose section \"tree\" is replaced")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	conditions := report.Conditions()
	w, err := newWorld(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	best := map[string]taken{}
	for i := range o.runs {
		for _, c := range w.contenders() {
			for _, s := range c.steps {
				t, err := w.measure(ctx, s)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, s.name, err)
				}
				fmt.Fprintf(os.Stderr, "run %d, %s, %s: %.2f s, %d turns\n", i+1, c.name, s.name, t.wall.Seconds(), t.turns)
				if was, ok := best[c.name+s.name]; !ok || t.wall < was.wall {
					best[c.name+s.name] = t
				}
			}
		}
	}
	text := table(o, best)
	fmt.Print(text)
	if o.write == "" {
		return nil
	}
	return report.Write(o.write, "tree", fmt.Sprintf("%s %s.\n\n%s", conditions, w.cli, text))
}

// taken is what a step cost.
type taken struct {
	wall  time.Duration
	turns int
}

// table has the measurements, and what is aimed at.
func table(o options, best map[string]taken) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files of 1 to 2 KiB in %d folders, a round trip of %d ms, the best of %d runs. The turns are how often the line changed its direction.\n\n",
		o.files, folders, o.delay.Milliseconds(), o.runs)
	fmt.Fprintf(&b, "| step | posix_tree | without files | beyond that | rsync | turns of posix_tree | of rsync |\n|---|---|---|---|---|---|---|\n")
	beyond := func(step string) time.Duration { return best[full+step].wall - best[empty+step].wall }
	for _, step := range []string{apply, noop, update} {
		fmt.Fprintf(&b, "| %s | %.2f s | %.2f s | %.2f s | %.2f s | %d | %d |\n", step, best[full+step].wall.Seconds(), best[empty+step].wall.Seconds(),
			beyond(step).Seconds(), best[rival+step].wall.Seconds(), best[full+step].turns, best[rival+step].turns)
	}
	verdict := func(ok bool) string {
		if ok {
			return "met"
		}
		return "**missed**"
	}
	ratio := beyond(apply).Seconds() / best[rival+apply].wall.Seconds()
	fmt.Fprintf(&b, "\n- The first apply takes %.2f × rsync's time beyond what a tree without files takes; aim: at most 2 ×: %s.\n", ratio, verdict(ratio <= 2))
	fmt.Fprintf(&b, "- A plan with nothing to do takes %.2f s beyond that; aim: at most 2 s: %s.\n", beyond(noop).Seconds(), verdict(beyond(noop) <= 2*time.Second))
	return b.String()
}

//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

// contender is one of the compared providers or tools.
type contender struct {
	name  string
	about string // version that the page mentions; may be empty
	// steps returns the steps for n files in the directory dir, in order.
	steps func(dir string, n int) []step
	// traffic returns the network traffic so far; it may be nil.
	traffic func() traffic
	// maxRuns, if not zero, is the maximum number of measurements of a slow contender.
	maxRuns int
}

// step is one command.
type step struct {
	name    string
	prepare func() error // not measured; may be nil
	command func(context.Context) *exec.Cmd
	output  func([]byte) error          // checks what the command printed; may be nil
	check   func(context.Context) error // checks the result
}

// traffic is the number of connections, and of turns: changes in the direction of the data.
type traffic struct{ connections, turns int }

// cost has the measurements of a step.
type cost struct {
	wall time.Duration
	usage
	traffic
	total time.Duration // CPU time of the command and its children
}

// engine returns the CPU time of the command without the provider's.
func (c cost) engine() time.Duration { return c.total - c.CPU }

// result has the costs for one number of files, by contender and step: one for each round
// of the contender, or none for a step that it does not have.
type result struct {
	plan
	costs map[string]map[string][]cost
}

// peakKB returns the highest peak memory of all steps of the contender, in KiB.
func (r *result) peakKB(contender string) (peak int64) {
	for _, costs := range r.costs[contender] {
		for _, c := range costs {
			peak = max(peak, c.PeakKB)
		}
	}
	return peak
}

// best returns the shortest times (disturbances only increase them), the highest peak
// memory, and the traffic of the last round. It returns false for a step that the
// contender does not have.
func (r *result) best(contender, step string) (cost, bool) {
	costs := r.costs[contender][step]
	if len(costs) == 0 {
		return cost{}, false
	}
	best := costs[len(costs)-1]
	for _, c := range costs {
		best.wall, best.CPU, best.total = min(c.wall, best.wall), min(c.CPU, best.CPU), min(c.total, best.total)
		best.PeakKB = max(c.PeakKB, best.PeakKB)
	}
	return best, true
}

// spread calculates a number from the costs of a step in each round in which all of these
// contenders were measured, and returns the median and the range of these numbers. Disturbances of a
// whole round affect them less than numbers from different rounds.
func (r *result) spread(step string, number func(costs []cost) float64, contenders ...string) report.Spread {
	var numbers []float64
	for round := range r.runs {
		costs := make([]cost, 0, len(contenders))
		for _, c := range contenders {
			if all := r.costs[c][step]; round < len(all) {
				costs = append(costs, all[round])
			}
		}
		if len(costs) == len(contenders) {
			numbers = append(numbers, number(costs))
		}
	}
	return report.NewSpread(numbers)
}

// spreadNote explains the numbers of [result.spread] in a table.
const spreadNote = "Ratios and differences are calculated within each round; the table has their median and, with three rounds or more, the lowest and the highest in brackets."

// ratio returns the ratio of two contenders' wall times.
func (r *result) ratio(step, one, other string) report.Spread {
	return r.spread(step, func(c []cost) float64 { return c[0].wall.Seconds() / c[1].wall.Seconds() }, one, other)
}

// difference returns the difference of two contenders' wall times in seconds.
func (r *result) difference(step, one, other string) report.Spread {
	return r.spread(step, func(c []cost) float64 { return (c[0].wall - c[1].wall).Seconds() }, one, other)
}

// measureAll measures the contenders in turn. Each round starts one contender later than the
// round before.
func measureAll(ctx context.Context, dir string, contenders []contender, p plan) (result, error) {
	r := result{plan: p, costs: map[string]map[string][]cost{}}
	for _, c := range contenders {
		r.costs[c.name] = map[string][]cost{}
	}
	for run := range p.runs {
		for i := range contenders {
			c := contenders[(run+i)%len(contenders)]
			if c.maxRuns > 0 && run >= c.maxRuns {
				continue
			}
			if err := r.measure(ctx, dir, c); err != nil {
				return r, fmt.Errorf("%s, %d files: %w", c.name, p.files, err)
			}
		}
	}
	return r, nil
}

// measure runs the steps of a contender in a new directory.
func (r *result) measure(ctx context.Context, dir string, c contender) (err error) {
	if err := os.MkdirAll(filesDir(dir), 0o755); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, s := range c.steps(dir, r.files) {
		if s.prepare != nil {
			if err := s.prepare(); err != nil {
				return err
			}
		}
		took, err := s.run(ctx, filepath.Join(dir, "usage.json"), c.traffic)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(os.Stderr, "%d files, %s, %s: %.2f s, %d turns\n", r.files, c.name, s.name, took.wall.Seconds(), took.turns)
		r.costs[c.name][s.name] = append(r.costs[c.name][s.name], took)
	}
	return nil
}

// filesDir returns the directory for the files of contenders.
func filesDir(dir string) string { return filepath.Join(dir, "files") }

// run runs the command of a step and checks its result. The wrapper of a provider appends the
// provider's resource usage to the file usage; seen returns the network traffic so far.
func (s step) run(ctx context.Context, usage string, seen func() traffic) (cost, error) {
	if seen == nil {
		seen = func() traffic { return traffic{} }
	}
	cmd := s.command(ctx)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, usageEnv+"="+usage)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets the engine stop its provider
	cmd.WaitDelay = 20 * time.Second
	before, start := seen(), time.Now()
	output, err := cmd.CombinedOutput()
	c := cost{wall: time.Since(start)}
	if err != nil {
		return c, fmt.Errorf("%w; end of the output:\n%s", err, output[max(0, len(output)-2000):])
	}
	after := seen()
	c.traffic = traffic{after.connections - before.connections, after.turns - before.turns}
	// The usage of a process includes the children that it has waited for.
	c.total = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if c.usage, err = readUsage(usage); err != nil {
		return c, err
	}
	if s.output != nil {
		if err := s.output(output); err != nil {
			return c, fmt.Errorf("%w:\n%s", err, output[max(0, len(output)-2000):])
		}
	}
	return c, s.check(ctx)
}

// Environment variables of the wrapper. The engine starts this program through a link that
// has the file name of a provider. The program runs the real provider and then appends its
// resource usage to a file, as a line of JSON.
const (
	// wrapEnv is set to the command line of the real provider.
	wrapEnv = "RUNBENCH_PROVIDER"
	// usageEnv is set to the path of the file for the resource usage.
	usageEnv = "RUNBENCH_USAGE"
)

// usage is the resource usage of one or several provider processes.
type usage struct {
	CPU time.Duration
	// PeakKB is the maximum resident set size in KiB.
	PeakKB int64
}

// wrap runs the provider to its end and appends its usage to the file. It returns the
// provider's exit code, or 0 if a signal ended the provider. If wrap itself fails, it returns 1.
func wrap(command string) int {
	// The provider is killed when the thread that started it ends. So if the engine kills
	// this process, the provider ends too.
	goruntime.LockOSThread()
	args := strings.Fields(command)
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...) //nolint:gosec // G702: the wrapper runs the given command
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			fmt.Fprintln(os.Stderr, "start provider:", err)
			return 1
		}
	}
	if err := appendUsage(os.Getenv(usageEnv), cmd.ProcessState); err != nil {
		fmt.Fprintln(os.Stderr, "report provider usage:", err)
		return 1
	}
	return max(cmd.ProcessState.ExitCode(), 0)
}

func appendUsage(path string, state *os.ProcessState) (err error) {
	rusage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("the operating system does not report the resource usage of the process (%s)", state)
	}
	line, err := json.Marshal(usage{CPU: state.UserTime() + state.SystemTime(), PeakKB: rusage.Maxrss})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(append(line, '\n'))
	return err
}

// readUsage returns the sum of the CPU times and the highest peak memory of all provider
// processes in the file, and removes the file. A missing file means that no provider ran.
func readUsage(path string) (usage, error) {
	var total usage
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return total, nil
	}
	if err != nil {
		return total, err
	}
	for line := range strings.Lines(string(b)) {
		var u usage
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			return total, err
		}
		total.CPU += u.CPU
		total.PeakKB = max(total.PeakKB, u.PeakKB)
	}
	return total, os.Remove(path)
}

package accspeed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	testinterface "github.com/mitchellh/go-testing-interface"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Options are the extent of the measurement.
type Options struct {
	// Rounds is how often each case runs on the command line.
	Rounds int
	// Batch is how many tests in this process follow each of those runs.
	Batch int
	// Many is how many tests run in parallel.
	Many int
}

// Result is the result of a case.
type Result struct {
	Title string
	// CLI and InProcess are the durations of a test.
	CLI, InProcess Times
	// Many is the duration of the parallel tests together, and Count their number.
	Many  time.Duration
	Count int
}

// Ratio returns how many times faster the engine in this process is, by the medians.
func (r Result) Ratio() float64 { return float64(r.CLI.Median) / float64(r.InProcess.Median) }

// BestRatio returns the same for the best of the runs, which other load disturbs least.
func (r Result) BestRatio() float64 { return float64(r.CLI.Best) / float64(r.InProcess.Best) }

// Times summarises several runs.
type Times struct{ Median, Best time.Duration }

// Measure runs the cases.
func Measure(dir string, cases []Case, o Options) ([]Result, error) {
	results := make([]Result, 0, len(cases))
	for i, c := range cases {
		r, err := measure(filepath.Join(dir, strconv.Itoa(i)), c, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Title, err)
		}
		results = append(results, r)
	}
	return results, nil
}

func measure(dir string, c Case, o Options) (Result, error) {
	n := 0
	run := func(engine string) (time.Duration, error) {
		n++
		return once(filepath.Join(dir, strconv.Itoa(n)), c, engine)
	}
	if _, err := run(""); err != nil { // warms up
		return Result{}, err
	}
	var cli, inProcess []time.Duration
	for range o.Rounds {
		took, err := run("cli")
		if err != nil {
			return Result{}, fmt.Errorf("on the command line: %w", err)
		}
		cli = append(cli, took)
		goruntime.GC() // collects the garbage of the other engine
		for range o.Batch {
			if took, err = run(""); err != nil {
				return Result{}, fmt.Errorf("in this process: %w", err)
			}
			inProcess = append(inProcess, took)
		}
	}
	many, err := atOnce(filepath.Join(dir, "many"), c, o.Many)
	return Result{Title: c.Title, CLI: times(cli), InProcess: times(inProcess), Many: many, Count: o.Many}, err
}

// once runs a test and returns how long it took.
func once(dir string, c Case, engine string) (time.Duration, error) {
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Setenv(acctest.EnvEngine, engine)); err != nil {
		return 0, err
	}
	test := c.New(dir)
	start := time.Now()
	err := verdict(test)
	return time.Since(start), err
}

// atOnce runs n tests in this process with one worker for each core.
func atOnce(dir string, c Case, n int) (time.Duration, error) {
	if err := os.Setenv(acctest.EnvEngine, ""); err != nil {
		return 0, err
	}
	tests := make(chan resource.TestCase, n)
	for i := range n {
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return 0, err
		}
		tests <- c.New(own)
	}
	close(tests)
	workers := goruntime.GOMAXPROCS(0)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	start := time.Now()
	for w := range workers {
		wg.Go(func() {
			for test := range tests {
				errs[w] = errors.Join(errs[w], verdict(test))
			}
		})
	}
	wg.Wait()
	return time.Since(start), errors.Join(errs...)
}

// failed is the panic that stops a failed test.
type failed struct{}

// judge is a testing.T outside of a test.
type judge struct {
	testinterface.RuntimeT
	said []string
}

func (j *judge) Error(args ...any)                 { j.said = append(j.said, fmt.Sprint(args...)) }
func (j *judge) Errorf(format string, args ...any) { j.Error(fmt.Sprintf(format, args...)) }
func (j *judge) Fatal(args ...any)                 { j.Error(args...); panic(failed{}) }
func (j *judge) Fatalf(format string, args ...any) { j.Errorf(format, args...); panic(failed{}) }
func (j *judge) Fail()                             { j.Error("failed") }
func (j *judge) FailNow()                          { j.Fatal("failed") }
func (j *judge) Failed() bool                      { return len(j.said) > 0 }
func (j *judge) Skip(args ...any)                  { j.Fatal(args...) }
func (j *judge) Skipf(format string, args ...any)  { j.Fatalf(format, args...) }
func (j *judge) SkipNow()                          { j.Fatal("skipped") }
func (*judge) Log(...any)                          {}
func (*judge) Logf(string, ...any)                 {}
func (*judge) Name() string                        { return "ThreeSteps" }

// verdict runs a test, and returns its failure. A skipped test has failed.
func verdict(test resource.TestCase) (err error) {
	j := &judge{}
	defer func() {
		if r := recover(); r != nil && r != (failed{}) {
			panic(r)
		}
		if j.Failed() {
			err = errors.New(strings.Join(j.said, "\n"))
		}
	}()
	acctest.Test(j, test)
	return nil
}

func times(runs []time.Duration) Times {
	slices.Sort(runs)
	return Times{Median: runs[len(runs)/2], Best: runs[0]}
}

// Package accspeed measures how long an acceptance test of three steps (create, update,
// import) takes on the engine in this process and on the command line, with the same test
// case in the same run.
//
// The command of the same name calls it. The engines run alternately, so that both have the
// same load. Each test has its own directory and is checked like any acceptance test.
//
// Elsewhere: packages sidebyside and examples/note have the resources.
package accspeed

import (
	"context"
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

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	testinterface "github.com/mitchellh/go-testing-interface"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/examples/note"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Options configure Measure.
type Options struct {
	// Rounds is the number of runs of each case on the command line.
	Rounds int
	// Batch is the number of tests in this process after each of those runs.
	Batch int
	// Many is the number of parallel tests.
	Many int
}

// Result is the result of a case.
type Result struct {
	Title string
	// CLI and InProcess are the durations of a test on the command line and in this
	// process.
	CLI, InProcess Times
	// Many is the duration of all parallel tests together, and Count is their number.
	Many  time.Duration
	Count int
}

// Ratio returns how many times faster the engine in this process is, by medians.
func (r Result) Ratio() float64 { return float64(r.CLI.Median) / float64(r.InProcess.Median) }

// BestRatio returns the same ratio for the fastest runs, which other load affects least.
func (r Result) BestRatio() float64 { return float64(r.CLI.Best) / float64(r.InProcess.Best) }

// Times has the median and the shortest duration of several runs.
type Times struct{ Median, Best time.Duration }

// Measure measures the cases with directories below dir. A failed test is an error. Measure
// sets acctest.EnvEngine in the environment of the process.
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
		return timeTest(filepath.Join(dir, strconv.Itoa(n)), c, engine)
	}
	if _, err := run(""); err != nil { // warms up
		return Result{}, err
	}
	var cli, inProcess []time.Duration
	for range o.Rounds {
		took, err := run("cli")
		if err != nil {
			return Result{}, fmt.Errorf("run on the command line: %w", err)
		}
		cli = append(cli, took)
		goruntime.GC() // collects the garbage of the other engine
		for range o.Batch {
			if took, err = run(""); err != nil {
				return Result{}, fmt.Errorf("run in this process: %w", err)
			}
			inProcess = append(inProcess, took)
		}
	}
	many, err := timeParallel(filepath.Join(dir, "many"), c, o.Many)
	return Result{Title: c.Title, CLI: times(cli), InProcess: times(inProcess), Many: many, Count: o.Many}, err
}

// timeTest selects the engine by acctest.EnvEngine, runs a test and returns its duration.
func timeTest(dir string, c Case, engine string) (time.Duration, error) {
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Setenv(acctest.EnvEngine, engine)); err != nil {
		return 0, err
	}
	test := c.New(dir)
	start := time.Now()
	err := runTest(test)
	return time.Since(start), err
}

// timeParallel runs n tests in this process with one worker for each core, and returns the
// total duration.
func timeParallel(dir string, c Case, n int) (time.Duration, error) {
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
				errs[w] = errors.Join(errs[w], runTest(test))
			}
		})
	}
	wg.Wait()
	return time.Since(start), errors.Join(errs...)
}

// failed is the panic value that stops a failed test.
type failed struct{}

// testRecorder is an acctest.T outside of a test. It records errors.
type testRecorder struct {
	testinterface.RuntimeT
	errors []string
}

func (j *testRecorder) Error(args ...any)                 { j.errors = append(j.errors, fmt.Sprint(args...)) }
func (j *testRecorder) Errorf(format string, args ...any) { j.Error(fmt.Sprintf(format, args...)) }
func (j *testRecorder) Fatal(args ...any)                 { j.Error(args...); panic(failed{}) }
func (j *testRecorder) Fatalf(format string, args ...any) { j.Errorf(format, args...); panic(failed{}) }
func (j *testRecorder) Fail()                             { j.Error("failed") }
func (j *testRecorder) FailNow()                          { j.Fatal("failed") }
func (j *testRecorder) Failed() bool                      { return len(j.errors) > 0 }
func (j *testRecorder) Skip(args ...any)                  { j.Fatal(args...) }
func (j *testRecorder) Skipf(format string, args ...any)  { j.Fatalf(format, args...) }
func (j *testRecorder) SkipNow()                          { j.Fatal("skipped") }
func (*testRecorder) Log(...any)                          {}
func (*testRecorder) Logf(string, ...any)                 {}
func (*testRecorder) Name() string                        { return "ThreeSteps" }

// runTest runs a test and returns its errors. A skipped test is an error.
func runTest(test resource.TestCase) (err error) {
	j := &testRecorder{}
	defer func() {
		if r := recover(); r != nil && r != (failed{}) {
			panic(r)
		}
		if j.Failed() {
			err = errors.New(strings.Join(j.errors, "\n"))
		}
	}()
	acctest.Test(j, test)
	return nil
}

func times(runs []time.Duration) Times {
	slices.Sort(runs)
	return Times{Median: runs[len(runs)/2], Best: runs[0]}
}

// Aims for the engine in this process: the minimum of Ratio and the maximum of Many.
const (
	AimRatio = 500
	AimMany  = 10 * time.Second
)

// Table returns a table of the results. It marks missed aims only for the first result,
// because the aims are for a provider that costs little itself.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| test | command line, s | in process, ms | times faster | many at once |\n|---|--:|--:|--:|--:|\n")
	for i, r := range results {
		ratio := fmt.Sprintf("%.0f (%.0f)", r.Ratio(), r.BestRatio())
		if i == 0 && r.Ratio() < AimRatio {
			ratio += " **missed**"
		}
		many := fmt.Sprintf("%s in %.2f s", thousands(r.Count), r.Many.Seconds())
		if i == 0 && r.Many > AimMany {
			many += " **missed**"
		}
		fmt.Fprintf(&b, "| %s | %.2f (%.2f) | %.2f (%.2f) | %s | %s |\n", r.Title,
			r.CLI.Median.Seconds(), r.CLI.Best.Seconds(), milliseconds(r.InProcess.Median), milliseconds(r.InProcess.Best), ratio, many)
	}
	return b.String()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// Case is an acceptance test of three steps.
type Case struct {
	// Title is the name on the page.
	Title string
	// New returns the test. Its objects are below dir.
	New func(dir string) resource.TestCase
}

// Cases returns a test of the smallest resource, and tests of a resource with a dozen
// attributes on each library of package sidebyside.
func Cases() []Case {
	cases := []Case{{Title: "note", New: newNote}}
	for _, c := range sidebyside.Contenders() {
		cases = append(cases, Case{Title: "site, " + c.Title, New: func(dir string) resource.TestCase { return newSite(c, dir) }})
	}
	return cases
}

func newNote(dir string) resource.TestCase {
	const address = "demo_note.this"
	path := filepath.Join(dir, "note")
	config := func(text string) string {
		return fmt.Sprintf("resource \"demo_note\" \"this\" {\n  path = %q\n  text = %q\n}\n", path, text)
	}
	return resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("demo", func() (provider.Interface, error) {
			return runtime.New(runtime.Definition{
				Name: "demo",
				Resources: map[string]runtime.ResourceRegistration{
					"note": runtime.MakeResource[note.Note, *note.NoteOutput, runtime.NoConfig](),
				},
			})
		}),
		Steps: []resource.TestStep{
			{Config: config("one\n"), Check: resource.TestCheckResourceAttr(address, "lines", "1")},
			{Config: config("one\ntwo\n"), Check: resource.TestCheckResourceAttr(address, "lines", "2")},
			{ResourceName: address, ImportState: true, ImportStateId: path, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path"},
		},
	}
}

func newSite(c sidebyside.Contender, dir string) resource.TestCase {
	const address = "web_site.this"
	routes := "routes = [{ path = \"/\", backend = \"web:80\", weight = 1 }]"
	if c.Title == "SDKv2" { // SDKv2 has nested objects as blocks
		routes = "routes {\n    path    = \"/\"\n    backend = \"web:80\"\n    weight  = 1\n  }"
	}
	config := func(port string) string {
		return fmt.Sprintf("provider \"web\" {\n  directory = %q\n}\n\nresource \"web_site\" \"this\" {\n"+
			"  name     = \"shop\"\n  root     = \"/srv\"\n  port     = %s\n  settings = jsonencode({ a = 1 })\n  %s\n}\n", dir, port, routes)
	}
	return resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
			"web": func() (tfplugin.ProviderServer, error) { return c.New(context.Background()) },
		},
		Steps: []resource.TestStep{
			{
				Config: config("8443"),
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr(address, "url", "https://shop:8443"),
					resource.TestCheckResourceAttr(address, "routes.0.backend", "web:80"),
				),
			},
			{Config: config("443"), Check: resource.TestCheckResourceAttr(address, "revision", "2")},
			{ResourceName: address, ImportState: true, ImportStateId: "shop", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
		},
	}
}

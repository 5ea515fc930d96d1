package acctest

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	testinterface "github.com/mitchellh/go-testing-interface"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// T is the subset of *testing.T that tests need.
type T = testinterface.T

// Test runs a test case as resource.Test of terraform-plugin-testing does: each step
// with its plans and checks, then a destroy. It runs on the engine in the process of
// the test, whatever TF_ACC is, or on the engine that [EnvEngine] selects.
//
// On package engine, unlike the original, Test supports Check functions for states with
// instances of for_each, which are stored under their addresses, and with modules, each of
// which has its own module state. ImportStateVerify compares objects in modules, too, and
// fails if no object was imported.
//
// Queries need the rules of Terraform 1.14. A case with a Query step, or whose
// TerraformVersionChecks admit Terraform but not OpenTofu, runs with these rules in the process of
// the test unless [EnvFlavor] is set or [EnvEngine] is "both". If OpenTofu is selected, or the
// command does not support queries, a case with a Query step is skipped. A query contains the
// configuration of the last step that had one and was not an import or a query, so a Query
// step cannot be the first. Of all ConfigVariables, only those of the Query step itself are set.
//
// Features that need a command are reported as errors: ExternalProviders, deferred
// changes and state stores; in configurations: cloud, encryption and language blocks,
// backends other than local, experiments, override files, provisioners and their
// connections, modules that are not in local directories or whose source has variables,
// for_each in provider blocks and keys of provider configurations, "destroy" in lifecycle
// blocks, computed keys of actions, and functions of a provider configuration with an alias.
func Test(t T, c resource.TestCase) {
	t.Helper()
	TestFunc(t, func() resource.TestCase { return c })
}

// TestFunc is like Test, but calls build for each engine it runs on: twice if EnvEngine
// is "both". Use it for a case that keeps values while it runs: a backend that the
// provider writes to, a clock that a PreConfig moves, a variable in which a Check
// stores an ID, a statecheck.CompareValue.
func TestFunc(t T, build func() resource.TestCase) {
	t.Helper()
	on, flavor := engineFromEnv(t)
	anyFlavor := os.Getenv(EnvFlavor) == ""
	switch on {
	case onCLI:
		mustHaveCLI(t)
		runOnCLI(t, build())
	case onBoth:
		mustHaveCLI(t)
		if anyFlavor && discover().cli.Kind == tfcli.Terraform {
			flavor = engine.Terraform
		}
		own := record(t, func(t T) { runCase(t, build(), flavor) })
		cli := record(t, func(t T) { runOnCLI(t, build()) })
		compareVerdicts(t, own, cli)
	default:
		c := build()
		if anyFlavor && needsTerraform(&c) {
			flavor = engine.Terraform
		}
		runCase(t, c, flavor)
	}
}

// runOnCLI runs a test case on the command, which must exist.
func runOnCLI(t T, c resource.TestCase) {
	t.Helper()
	if cli := discover().cli; hasQuery(&c) && !cli.HasQueries() {
		t.Skip(noQueries(cli.String()))
	}
	resource.Test(t, c)
}

func hasQuery(c *resource.TestCase) bool {
	return slices.ContainsFunc(c.Steps, func(s resource.TestStep) bool { return s.Query })
}

// noQueries returns the reason why a test case with a query is skipped.
func noQueries(product string) string {
	return product + " has no list resources: a test case with a Query step needs Terraform 1.14 or later"
}

// needsTerraform reports whether only Terraform can run the test case.
func needsTerraform(c *resource.TestCase) bool {
	admits := func(flavor engine.Flavor) bool {
		skip, err := checkVersions(flavor, c.TerraformVersionChecks)
		return skip == "" && err == nil
	}
	return hasQuery(c) || !admits(engine.OpenTofu) && admits(engine.Terraform)
}

// ParallelTest is like Test, but runs in parallel with other parallel tests.
func ParallelTest(t T, c resource.TestCase) {
	t.Helper()
	t.Parallel()
	Test(t, c)
}

// UnitTest is like Test, but sets IsUnitTest in the test case, as resource.UnitTest does.
func UnitTest(t T, c resource.TestCase) {
	t.Helper()
	c.IsUnitTest = true
	Test(t, c)
}

// compareVerdicts fails the test if the verdicts of both runs differ. Otherwise the test
// gets their verdict.
func compareVerdicts(t T, own, cli *recorder) {
	t.Helper()
	if a, b := own.verdict(), cli.verdict(); !a.agrees(b) {
		t.Fatalf("the verdicts differ: the test %s on the in-process engine, and it %s with the CLI\n--- in-process engine:\n%s\n--- CLI:\n%s",
			a, b, own.log(), cli.log())
	}
	switch {
	case own.failed:
		t.Fatalf("the test failed on both engines:\n%s", own.log())
	case own.skipped:
		t.Skip(own.log())
	}
}

// mustHaveCLI fails the test if there is no command. It does not skip the test, because
// EnvEngine selects the command explicitly.
func mustHaveCLI(t T) {
	t.Helper()
	if e := discover(); e.err != nil {
		t.Fatalf("%s=%s needs OpenTofu or Terraform:\n%s", EnvEngine, os.Getenv(EnvEngine), e.report())
	}
}

// EnvEngine is the environment variable that selects the engine of tests: "" or
// "inprocess" for the engine in the process of the test, "cli" for the real command, "both"
// for both, whose verdicts must agree. If it selects the command and there is none, tests
// fail.
const EnvEngine = "ACCTEST_ENGINE"

// EnvFlavor is the environment variable that selects the flavor of the engine in the process
// of the test: "opentofu" or "terraform". The default is OpenTofu for scripts. For test cases,
// it is that of the command if EnvEngine is "both", and otherwise OpenTofu, except for cases
// that only Terraform can run.
const EnvFlavor = "ACCTEST_FLAVOR"

// engineChoice is the engine to run tests on.
type engineChoice int

const (
	inProcess engineChoice = iota
	onCLI
	onBoth
)

// engineFromEnv returns the choice of EnvEngine and EnvFlavor. It fails the test if
// either has an unknown value, so that no test silently runs on an engine other than the
// selected one.
func engineFromEnv(t T) (engineChoice, engine.Flavor) {
	t.Helper()
	var on engineChoice
	switch v := os.Getenv(EnvEngine); v {
	case "", "inprocess":
	case "cli":
		on = onCLI
	case "both":
		on = onBoth
	default:
		t.Fatalf("%s is %q: it must be empty, \"inprocess\", \"cli\" or \"both\"", EnvEngine, v)
	}
	switch v := os.Getenv(EnvFlavor); v {
	case "", "opentofu":
		return on, engine.OpenTofu
	case "terraform":
		return on, engine.Terraform
	default:
		t.Fatalf("%s is %q: it must be empty, \"opentofu\" or \"terraform\"", EnvFlavor, v)
		return on, engine.OpenTofu
	}
}

// gcPercent is the heap growth between two collections in tests. A test case needs
// about a megabyte and soon releases all of it: with the default of 100, collecting
// takes a third of its time.
const gcPercent = 400

// raiseGCPercent sets gcPercent once per process, unless GOGC is set.
var raiseGCPercent = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
})

// EnvTiming is the environment variable that, if not empty, makes each test on package
// engine log the duration of its steps and of their provider calls.
const EnvTiming = "ACCTEST_TIMING"

// timing records the duration of the steps of a test. A nil timing records nothing.
type timing struct {
	mu    sync.Mutex
	steps []*stepTiming
}

type stepTiming struct {
	name  string
	begin time.Time
	took  time.Duration
	calls []engine.Call
}

// newTiming returns a timing if EnvTiming is set, or else nil.
func newTiming() *timing {
	if os.Getenv(EnvTiming) == "" {
		return nil
	}
	return &timing{}
}

// observer returns the callback for engine.Options.Observe, or nil if m is nil.
func (m *timing) observer() func(engine.Call) {
	if m == nil {
		return nil
	}
	return func(c engine.Call) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.steps) == 0 {
			return
		}
		last := m.steps[len(m.steps)-1]
		last.calls = append(last.calls, c)
	}
}

// begin ends the current step and begins another.
func (m *timing) begin(name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	m.steps = append(m.steps, &stepTiming{name: name, begin: time.Now()})
}

func (m *timing) end() {
	if len(m.steps) > 0 {
		if last := m.steps[len(m.steps)-1]; last.took == 0 {
			last.took = time.Since(last.begin)
		}
	}
}

// report ends the current step and logs the table.
func (m *timing) report(t T) {
	if m == nil {
		return
	}
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	t.Logf("durations:\n%s", table(m.steps))
}

// row sums up the calls of one RPC for one object in a step.
type row struct {
	rpc, object string
	calls       int
	total       time.Duration
}

const (
	barWidth  = 30
	tableHead = "%-60s %9s %6s\n"
	tableRow  = "%-60s %9s %5.1f%%  %s\n"
)

// table returns a table of the steps, each with its provider calls in descending order of
// duration. Bars show the share of the whole test. The durations of concurrent calls are
// added, so the calls of a step may take longer than the step.
func table(steps []*stepTiming) string {
	var whole time.Duration
	for _, s := range steps {
		whole += s.took
	}
	var b strings.Builder
	fmt.Fprintf(&b, tableHead, "test", round(whole), "")
	for _, s := range steps {
		line(&b, s.name, s.took, whole)
		rows := s.rows()
		var inCalls time.Duration
		for _, r := range rows {
			inCalls += r.total
			name := "  " + r.rpc
			if r.calls > 1 {
				name += fmt.Sprintf(" ×%d", r.calls)
			}
			line(&b, name+" "+r.object, r.total, whole)
		}
		if rest := s.took - inCalls; rest > 0 {
			line(&b, "  (engine and test)", rest, whole)
		}
	}
	return b.String()
}

func line(b *strings.Builder, name string, took, whole time.Duration) {
	share := 0.0
	if whole > 0 {
		share = float64(took) / float64(whole)
	}
	fmt.Fprintf(b, tableRow, name, round(took), 100*share, strings.Repeat("█", int(share*barWidth+0.5)))
}

func round(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(100 * time.Nanosecond)
	}
	return d.Round(10 * time.Microsecond)
}

func (s *stepTiming) rows() []row {
	type key struct{ rpc, object string }
	sums := map[key]*row{}
	for _, c := range s.calls {
		k := key{c.RPC, c.Object}
		if sums[k] == nil {
			sums[k] = &row{rpc: c.RPC, object: c.Object}
		}
		sums[k].calls++
		sums[k].total += c.Took
	}
	rows := make([]row, 0, len(sums))
	for _, r := range sums {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.rpc, b.rpc), cmp.Compare(a.object, b.object))
	})
	return rows
}

package acctest

import (
	"os"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	testinterface "github.com/mitchellh/go-testing-interface"
)

// T is what a test is told its verdict by: *testing.T, for one.
type T = testinterface.T

// Test runs a test case of terraform-plugin-testing, as its resource.Test does:
// step by step, each with the plans and checks that follow, and everything is
// destroyed in the end. It runs on the engine in this process, whatever TF_ACC
// is, or on what EnvEngine says.
//
// Beyond what the original takes, instances of for_each and modules may be in the
// state that Check functions are given: the former under their address, the
// latter as modules of their own.
//
// A configuration that cannot be read, by an ExpectError of the last step, is no
// failure of the test: Terraform can destroy what there is all the same, OpenTofu's
// command cannot.
//
// What only a command can do is an error that says so: providers from a registry
// (ExternalProviders), deferred changes, queries and state stores; and in the
// configuration: backends, provisioners and their connections, modules that are
// not in local folders, for_each in provider blocks, "enabled" and "destroy" in
// lifecycle blocks, and experiments.
func Test(t T, c resource.TestCase) {
	t.Helper()
	TestFunc(t, func() resource.TestCase { return c })
}

// TestFunc is Test with a test case that build makes for each engine it runs on,
// twice where EnvEngine is "both". It is for a case that remembers something while
// it runs: a backend that the provider writes to, a clock that a PreConfig moves, a
// variable that a Check keeps an id in, a statecheck.CompareValue.
func TestFunc(t T, build func() resource.TestCase) {
	t.Helper()
	on, flavor := choice(t)
	switch on {
	case onCLI:
		requireCLI(t)
		resource.Test(t, build())
	case onBoth:
		requireCLI(t)
		own := record(t, func(t T) { runCase(t, build(), flavor) })
		cli := record(t, func(t T) { resource.Test(t, build()) })
		settle(t, own, cli)
	default:
		runCase(t, build(), flavor)
	}
}

// ParallelTest is Test, beside other parallel tests.
func ParallelTest(t T, c resource.TestCase) {
	t.Helper()
	t.Parallel()
	Test(t, c)
}

// UnitTest is Test, on the command also where TF_ACC is not set.
func UnitTest(t T, c resource.TestCase) {
	t.Helper()
	c.IsUnitTest = true
	Test(t, c)
}

// settle makes one verdict of two.
func settle(t T, own, cli *recorder) {
	t.Helper()
	if a, b := own.verdict(), cli.verdict(); !a.agrees(b) {
		t.Fatalf("the verdicts differ: the test %s in this process, and it %s on the command line\n--- in this process:\n%s\n--- on the command line:\n%s",
			a, b, own.log(), cli.log())
	}
	switch {
	case own.failed:
		t.Fatalf("on both engines:\n%s", own.log())
	case own.skipped:
		t.Skip(own.log())
	}
}

// requireCLI stops the test where there is no command.
func requireCLI(t interface {
	Helper()
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
},
) {
	t.Helper()
	e := discover()
	if e.err == nil {
		return
	}
	if os.Getenv(EnvRequire) == "require" {
		t.Fatalf("this test needs an engine:\n%s", e.report())
	}
	t.Skipf("this test needs an engine:\n%s", e.report())
}

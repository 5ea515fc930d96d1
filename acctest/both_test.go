package acctest_test

import (
	"os"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/acctest"
)

func TestCompareVerdicts(t *testing.T) {
	t.Parallel()
	fail := func(text string) func(acctest.T) { return func(t acctest.T) { t.Fatal(text) } }
	pass := func(acctest.T) {}
	skip := func(t acctest.T) { t.Skip("not here") }
	for name, tt := range map[string]struct {
		own, cli  func(acctest.T)
		want, log string
	}{
		"both pass":               {pass, pass, passed, ""},
		"both fail":               {fail("Step 2/3: own"), fail("Step 2/3 error: cli"), failed, "the test failed on both engines:\nStep 2/3: own"},
		"one names no step":       {fail("Step 2/3: own"), fail("cli"), failed, "the test failed on both engines"},
		"fail at different steps": {fail("Step 1/3: own"), fail("Step 2/3 error: cli"), failed, "the verdicts differ: the test failed at step 1 on the in-process engine, and it failed at step 2 with the CLI\n--- in-process engine:\nStep 1/3: own\n--- CLI:\nStep 2/3 error: cli"},
		"a log names a step":      {func(t acctest.T) { t.Log("Step 1/3 is skipped"); t.Fatal("Step 2/3: own") }, func(t acctest.T) { t.Log("step 1/3"); t.Fatal("Step 3/3: cli") }, failed, "the verdicts differ: the test failed at step 2 on the in-process engine, and it failed at step 3"},
		"only the command fails":  {pass, fail("cli"), failed, "the verdicts differ: the test passed on the in-process engine, and it failed"},
		"only in process fails":   {fail("own"), pass, failed, "the verdicts differ: the test failed on the in-process engine, and it passed"},
		"both are skipped":        {skip, skip, skipped, "not here"},
		"only one is skipped":     {skip, pass, failed, "the verdicts differ"},
		"Errorf, Fatal":           {func(t acctest.T) { t.Errorf("x"); t.Log("y") }, fail("z"), failed, "the test failed on both engines:\nx\ny"},
		"FailNow without message": {func(t acctest.T) { t.FailNow() }, pass, failed, "the verdicts differ"},
		"Fail at the end":         {func(t acctest.T) { t.Fail() }, fail("z"), failed, "the test failed on both engines"},
		"SkipNow, Skipf":          {func(t acctest.T) { t.SkipNow() }, func(t acctest.T) { t.Skipf("%d", 1) }, skipped, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := acctest.CompareVerdicts(t, tt.own, tt.cli)
			if got.Outcome != tt.want || !strings.HasPrefix(got.Log, tt.log) {
				t.Errorf("the test %s with the log %q, want %s with a log that starts with %q", got.Outcome, got.Log, tt.want, tt.log)
			}
		})
	}
}

// outer is a T that a test case closes over.
type outer struct {
	acctest.T
	failed, skipped bool
}

func (o *outer) FailNow() {
	o.failed = true
	goruntime.Goexit()
}

func (o *outer) SkipNow() {
	o.skipped = true
	goruntime.Goexit()
}

func (o *outer) Failed() bool  { return o.failed }
func (o *outer) Skipped() bool { return o.skipped }

// TestEndedByOuterT checks the verdict if both runs are ended through the T of the
// whole test, for example in a PreCheck.
func TestEndedByOuterT(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(*outer){skipped: (*outer).SkipNow, failed: (*outer).FailNow} {
		o := &outer{T: t}
		run := func(acctest.T) { end(o) }
		if got := acctest.CompareVerdicts(o, run, run); got.Outcome != want {
			t.Errorf("the test %s with the log %q, want %s", got.Outcome, got.Log, want)
		}
	}
}

// TestBoth runs one test case on both engines.
func TestBoth(t *testing.T) {
	acctest.NeedsCLI(t)
	t.Setenv(acctest.EnvEngine, "both")
	b := newBench(t)
	acctest.Test(t, b.steps(resource.TestStep{Config: b.config("a"), Check: resource.TestCheckResourceAttr(this, "text", "a")}))
}

// TestTestFunc checks that the case is built once per engine.
func TestTestFunc(t *testing.T) {
	acctest.NeedsCLI(t)
	for value, want := range map[string]int{"": 1, "cli": 1, "both": 2} {
		t.Run("on "+value, func(t *testing.T) {
			t.Setenv(acctest.EnvEngine, value)
			made := 0
			acctest.TestFunc(t, func() resource.TestCase {
				made++
				b := newBench(t)
				same := statecheck.CompareValue(compare.ValuesSame())
				return b.steps(resource.TestStep{
					Config:            b.config("a"),
					ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue(this, tfjsonpath.New("path"))},
				})
			})
			if made != want {
				t.Errorf("the case was built %d times, want %d", made, want)
			}
		})
	}
}

// TestUnknownSetting checks that an unknown value of EnvEngine or EnvFlavor is an error.
func TestUnknownSetting(t *testing.T) {
	for _, name := range []string{acctest.EnvEngine, acctest.EnvFlavor} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "quick")
			b := newBench(t)
			got := acctest.Tested(t, b.steps(resource.TestStep{Config: b.config("a")}))
			if want := name + ` is "quick": it must be empty`; got.Outcome != failed || !strings.HasPrefix(got.Log, want) {
				t.Errorf("the test %s with the log %q, want a failure with a log that starts with %s", got.Outcome, got.Log, want)
			}
		})
	}
}

// TestTerraform checks that version checks use the version of Terraform if EnvFlavor selects it.
func TestTerraform(t *testing.T) {
	t.Setenv(acctest.EnvFlavor, "terraform")
	b := newBench(t)
	c := b.steps(resource.TestStep{Config: b.config("a")})
	c.TerraformVersionChecks = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)}
	if got := acctest.Tested(t, c); got.Outcome != passed {
		t.Errorf("the test %s: %s", got.Outcome, got.Log)
	}
}

// TestMain unsets EnvEngine, because the tests that depend on it set it themselves.
func TestMain(m *testing.M) {
	if err := os.Unsetenv(acctest.EnvEngine); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/engine"
)

// runCase runs a test case on the engine in this process.
func runCase(t T, c resource.TestCase, flavor engine.Flavor) {
	t.Helper()
	collectSeldom()
	if err := checkCase(t.Name(), &c); err != nil {
		t.Fatalf("the test case is not valid: %s", err)
	}
	if c.PreCheck != nil {
		c.PreCheck()
	}
	checkVersions(t, flavor, c.TerraformVersionChecks)

	timing := newTiming()
	r := &runner{t: t, c: &c, timing: timing, session: newSession(flavor, providersOf(&c), timing.observer())}
	// The test case may end the test itself; what it made is destroyed still.
	defer func() {
		t.Helper()
		timing.begin("destroy")
		if err := r.destroy(); err != nil {
			t.Fatalf("Destroying what the test made failed, so that some of it may still be there: %s", err)
		}
		timing.report(t)
	}()
	for i := range c.Steps {
		r.number, r.step = i+1, &c.Steps[i]
		timing.begin(fmt.Sprintf("step %d", r.number))
		r.runStep()
	}
}

// checkVersions asks the test case whether it is for the engine's version.
func checkVersions(t T, flavor engine.Flavor, checks []tfversion.TerraformVersionCheck) {
	t.Helper()
	if len(checks) == 0 {
		return
	}
	req := tfversion.CheckTerraformVersionRequest{TerraformVersion: version.Must(version.NewVersion(versionOf(flavor)))}
	for _, check := range checks {
		var resp tfversion.CheckTerraformVersionResponse
		check.CheckTerraformVersion(context.Background(), req, &resp)
		if resp.Error != nil {
			t.Fatalf("the version of the engine: %s", resp.Error)
		}
		if resp.Skip != "" {
			t.Skip(resp.Skip)
		}
	}
}

// runner takes a test case through its steps.
type runner struct {
	t       T
	c       *resource.TestCase
	timing  *timing
	session *session

	number int // of the step, from one
	step   *resource.TestStep

	// applied is the configuration of the last step that had one: imports use it.
	applied *fileSet
}

// fatal is an error that no ExpectError is for: the test itself is wrong.
type fatal struct{ error }

// Unwrap is the error itself.
func (f fatal) Unwrap() error { return f.error }

// titled is an error below a line that says what was done, written as tests expect
// it that were written for the command line.
type titled struct {
	title string
	error
}

// Error is the title and the error.
func (t titled) Error() string { return t.title + t.error.Error() }

// Unwrap is the error itself.
func (t titled) Unwrap() error { return t.error }

// fatalf is a fatal error.
func fatalf(format string, args ...any) error { return fatal{fmt.Errorf(format, args...)} }

// failf ends the test at the step.
func (r *runner) failf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("Step %d/%d: %s", r.number, len(r.c.Steps), fmt.Sprintf(format, args...))
}

// runStep runs one step and ends the test where it fails.
func (r *runner) runStep() {
	r.t.Helper()
	step := r.step
	files, err := stepFiles(step, r.number, r.t.Name())
	if err != nil {
		r.failf("%s", err)
	}
	if step.PreConfig != nil {
		step.PreConfig()
	}
	if step.SkipFunc != nil {
		skip, err := step.SkipFunc()
		if err != nil {
			r.failf("SkipFunc: %s", err)
		}
		if skip {
			r.t.Logf("Step %d/%d is skipped by its SkipFunc", r.number, len(r.c.Steps))
			return
		}
	}
	if files != nil && !step.Destroy {
		for _, address := range step.Taint {
			if err := r.session.taint(address); err != nil {
				r.failf("Taint: %s", err)
			}
		}
	}
	if set := providersOf(r.c).with(step); len(step.ProviderFactories)+len(step.ProtoV5ProviderFactories)+len(step.ProtoV6ProviderFactories) > 0 {
		r.session.setProviders(set)
	}
	switch {
	case step.ImportState:
		err = r.importState(files)
	case step.RefreshState:
		err = r.refreshState()
	default:
		err = r.config(files)
	}
	r.settle(err)
	if files != nil && !step.ImportState {
		r.applied = files
	}
}

// settle compares how a step ended with what the test case expects.
func (r *runner) settle(err error) {
	r.t.Helper()
	if f, ok := errors.AsType[fatal](err); ok {
		r.failf("%s", f)
	}
	if want := r.step.ExpectError; want != nil {
		r.expected(err, want)
		return
	}
	if err != nil && r.c.ErrorCheck != nil {
		err = r.c.ErrorCheck(err)
	}
	if err != nil {
		r.failf("%s", err)
	}
}

func (r *runner) expected(err error, want *regexp.Regexp) {
	r.t.Helper()
	switch {
	case err == nil:
		r.failf("ExpectError: there was no error, and one that matches %q was expected", want)
	case !want.MatchString(err.Error()):
		r.failf("ExpectError: the error does not match %q: %s", want, err)
	}
}

// destroy removes what the test made, and checks that it is gone.
func (r *runner) destroy() error {
	s := r.session
	if s.state == nil || !s.state.HasResources() {
		return nil
	}
	var check func() error
	if r.c.CheckDestroy != nil {
		before, err := s.legacy()
		if err != nil {
			return err
		}
		check = func() error { return r.c.CheckDestroy(before) }
	}
	if err := s.destroy(); err != nil {
		return err
	}
	if check != nil {
		return check()
	}
	return nil
}

// refreshAfterApply reports whether the environment asks for a refresh after each
// step, as providers do whose values have several forms that mean the same.
func refreshAfterApply() bool {
	_, ok := os.LookupEnv(resource.EnvTfAccRefreshAfterApply)
	return ok
}

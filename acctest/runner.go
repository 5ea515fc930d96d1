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
	raiseGCPercent()
	if err := checkCase(t.Name(), &c); err != nil {
		t.Fatalf("the test case is not valid: %s", err)
	}
	if c.PreCheck != nil {
		c.PreCheck()
	}
	if skip, err := checkVersions(flavor, c.TerraformVersionChecks); err != nil {
		t.Fatalf("the version of the engine does not meet a requirement of the test case: %s", err)
	} else if skip != "" {
		t.Skip(skip)
	}
	if flavor == engine.OpenTofu && hasQuery(&c) {
		t.Skip(noQueries(flavor.String()))
	}

	timing := newTiming()
	r := &runner{t: t, c: &c, session: newSession(flavor, providersOf(&c), timing.observer())}
	// Destroy the created objects even if the test case ends the goroutine.
	defer func() {
		t.Helper()
		timing.begin("destroy")
		if err := r.destroy(); err != nil {
			t.Fatalf("the destroy at the end of the test or CheckDestroy failed, so some objects may still exist: %s", err)
		}
		timing.report(t)
	}()
	for i := range c.Steps {
		r.number, r.step = i+1, &c.Steps[i]
		timing.begin(fmt.Sprintf("step %d", r.number))
		r.runStep()
	}
}

// checkVersions returns the reason to skip a test case, or an error, if the checks of the
// test case exclude the version of the flavor.
func checkVersions(flavor engine.Flavor, checks []tfversion.TerraformVersionCheck) (skip string, err error) {
	if len(checks) == 0 {
		return "", nil
	}
	req := tfversion.CheckTerraformVersionRequest{TerraformVersion: version.Must(version.NewVersion(versionOf(flavor)))}
	for _, check := range checks {
		var resp tfversion.CheckTerraformVersionResponse
		check.CheckTerraformVersion(context.Background(), req, &resp)
		if resp.Error != nil || resp.Skip != "" {
			return resp.Skip, resp.Error
		}
	}
	return "", nil
}

// runner runs the steps of a test case.
type runner struct {
	t       T
	c       *resource.TestCase
	session *session

	number int // of the step, starting at 1
	step   *resource.TestStep

	// applied is the configuration of the last step that had one and was not an import or a
	// query. Queries use it, and imports without a configuration of their own.
	applied *fileSet
}

// fatal is an error that is never matched with ExpectError or with the pattern after "!" in
// a script. Examples are a mistake in the test itself and a failed check of an import or of a
// refresh.
type fatal struct{ error }

// Unwrap returns the error that is fatal.
func (f fatal) Unwrap() error { return f.error }

// titled is an error with a title, worded so that it matches the ExpectError of tests
// that were written for the command.
type titled struct {
	title string
	error
}

// Error returns the title followed by the error.
func (t titled) Error() string { return t.title + t.error.Error() }

// Unwrap returns the error without the title.
func (t titled) Unwrap() error { return t.error }

func fatalf(format string, args ...any) error { return fatal{fmt.Errorf(format, args...)} }

// failf fails and ends the test with a message that names the step.
func (r *runner) failf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("Step %d/%d: %s", r.number, len(r.c.Steps), fmt.Sprintf(format, args...))
}

// runStep runs one step and ends the test if it fails.
func (r *runner) runStep() {
	r.t.Helper()
	step := r.step
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
	// PreConfig may write the files.
	files, err := stepFiles(step, r.number, r.t.Name())
	if err != nil {
		r.failf("%s", err)
	}
	if files != nil && !step.Destroy {
		for _, address := range step.Taint {
			if err := r.session.taint(address); err != nil {
				r.failf("Taint: %s", err)
			}
		}
	}
	if len(step.ProviderFactories)+len(step.ProtoV5ProviderFactories)+len(step.ProtoV6ProviderFactories) > 0 {
		set := providersOf(r.c)
		set.addAll(step.ProviderFactories, step.ProtoV5ProviderFactories, step.ProtoV6ProviderFactories)
		r.session.setProviders(set)
	}
	switch {
	case step.ImportState:
		err = r.importState(files)
	case step.RefreshState:
		err = r.refreshState()
	case step.Query:
		err = r.query()
	default:
		err = r.config(files)
	}
	r.checkOutcome(err)
	if files != nil && !step.ImportState && !step.Query {
		r.applied = files
	}
}

// checkOutcome ends the test unless the error of a step is the one that the test case
// expects.
func (r *runner) checkOutcome(err error) {
	r.t.Helper()
	if f, ok := errors.AsType[fatal](err); ok {
		r.failf("%s", f)
	}
	if want := r.step.ExpectError; want != nil {
		r.checkExpected(err, want)
		return
	}
	if err != nil && r.c.ErrorCheck != nil {
		err = r.c.ErrorCheck(err)
	}
	if err != nil {
		r.failf("%s", err)
	}
}

// checkExpected ends the test unless err matches want.
func (r *runner) checkExpected(err error, want *regexp.Regexp) {
	r.t.Helper()
	switch {
	case err == nil:
		r.failf("ExpectError: got no error, want one that matches %q", want)
	case !want.MatchString(err.Error()):
		r.failf("ExpectError: the error does not match %q: %s", want, err)
	}
}

// destroy destroys the objects in the state and then runs CheckDestroy. If the state has no
// resources, it does nothing.
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

// refreshAfterApply reports whether the environment requests a refresh after steps that apply
// a configuration. It is for tests of providers that accept several representations of a value.
func refreshAfterApply() bool {
	_, ok := os.LookupEnv(resource.EnvTfAccRefreshAfterApply)
	return ok
}

// checkCase returns an error if a test case breaks a rule of terraform-plugin-testing
// or needs a command.
func checkCase(name string, c *resource.TestCase) error {
	if len(c.Steps) == 0 {
		return errors.New("the test case has no steps")
	}
	if len(c.ExternalProviders) > 0 {
		return noRegistry(c.ExternalProviders)
	}
	if o := c.AdditionalCLIOptions; o != nil && (o.Plan.AllowDeferral || o.Apply.AllowDeferral) {
		return fmt.Errorf("AllowDeferral needs an experimental build of Terraform: run the test with %s=cli", EnvEngine)
	}
	atCase := len(c.ProtoV5ProviderFactories)+len(c.ProtoV6ProviderFactories)+len(c.ProviderFactories)+len(c.Providers) > 0 //nolint:staticcheck // supported for existing test suites
	for i := range c.Steps {
		if err := checkStep(&c.Steps[i], i+1, name, atCase); err != nil {
			return fmt.Errorf("step %d/%d: %w", i+1, len(c.Steps), err)
		}
	}
	return nil
}

func checkStep(s *resource.TestStep, number int, name string, atCase bool) error {
	files, err := stepFiles(s, number, name)
	if err != nil {
		return err
	}
	if len(s.ExternalProviders) > 0 {
		return noRegistry(s.ExternalProviders)
	}
	rules := []struct {
		broken bool
		text   string
	}{
		{s.Query && s.Config == "", "Query needs Config, the content of a query file"},
		{s.Query && number == 1, "Query cannot be the first step: a query needs a configuration besides the query file"},
		{s.Query && (s.ImportState || s.RefreshState), "Query cannot be set together with ImportState or RefreshState"},
		{!s.Query && len(s.QueryResultChecks) > 0, "QueryResultChecks need Query"},
		{s.StateStore || s.VerifyStateStoreLock || s.DefaultWorkspaceOnly, "state stores need a command: run the test with " + EnvEngine + "=cli"},
		{files == nil && !s.ImportState && !s.RefreshState, "there is nothing to do: set Config, ConfigDirectory, ConfigFile, ImportState or RefreshState"},
		{files != nil && s.RefreshState, "RefreshState uses the configuration of the step before: it cannot have its own"},
		{s.RefreshState && s.Destroy, "RefreshState and Destroy cannot be set together"},
		{s.RefreshState && number == 1, "RefreshState cannot be the first step: there is no state yet"},
		{s.ImportState && s.RefreshState, "ImportState and RefreshState cannot be set together"},
		{s.ImportState && s.ImportStateId == "" && s.ImportStateIdFunc == nil && s.ResourceName == "", "ImportState needs ResourceName, ImportStateId or ImportStateIdFunc"},
		{s.PlanOnly && len(s.ConfigPlanChecks.PreApply) > 0, "ConfigPlanChecks.PreApply cannot be set with PlanOnly: nothing is applied"},
		{files == nil && len(s.ConfigPlanChecks.PreApply)+len(s.ConfigPlanChecks.PostApplyPreRefresh)+len(s.ConfigPlanChecks.PostApplyPostRefresh) > 0, "ConfigPlanChecks need a configuration"},
		{files == nil && len(s.ConfigStateChecks) > 0, "ConfigStateChecks need a configuration"},
		{!s.RefreshState && len(s.RefreshPlanChecks.PostRefresh) > 0, "RefreshPlanChecks need RefreshState"},
	}
	for _, rule := range rules {
		if rule.broken {
			return errors.New(rule.text)
		}
	}
	atStep := len(s.ProtoV5ProviderFactories)+len(s.ProtoV6ProviderFactories)+len(s.ProviderFactories) > 0
	inConfig := files != nil && files.haveProviderBlock()
	switch {
	case atCase && (atStep || inConfig && s.Config == ""):
		return errors.New("both the test case and the step set providers: set them in only one of the two")
	case !atCase && !atStep && !inConfig:
		return errors.New("neither the test case nor the step sets providers: set provider factories in one of the two")
	}
	return nil
}

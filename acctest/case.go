package acctest

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// checkCase is what is wrong with a test case before anything is run: the rules
// of terraform-plugin-testing, and what needs a command.
func checkCase(name string, c *resource.TestCase) error {
	if len(c.Steps) == 0 {
		return errors.New("the test case has no steps")
	}
	if len(c.ExternalProviders) > 0 {
		return noRegistry(c.ExternalProviders)
	}
	if o := c.AdditionalCLIOptions; o != nil && (o.Plan.AllowDeferral || o.Apply.AllowDeferral) {
		return fmt.Errorf("AllowDeferral needs an experimental build of the command: run the test with %s=cli", EnvEngine)
	}
	atCase := len(c.ProtoV5ProviderFactories)+len(c.ProtoV6ProviderFactories)+len(c.ProviderFactories)+len(c.Providers) > 0 //nolint:staticcheck // suites that use it move as they are
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
		{s.Query, "Query needs a command: run the test with " + EnvEngine + "=cli"},
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
		return errors.New("providers are given by the test case and by the step: only one of them can")
	case !atCase && !atStep && !inConfig:
		return errors.New("no providers are given, by the test case or by the step")
	}
	return nil
}

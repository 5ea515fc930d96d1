package acctest

import (
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/engine"
)

// Verdict is the result and the log of a test.
type Verdict struct{ Text, Outcome, Log string }

func verdictOf(r *recorder) Verdict {
	return Verdict{r.verdict().String(), r.verdict().outcome, r.log()}
}

// InProcess runs a test case on the engine in this process with OpenTofu's rules.
func InProcess(t T, c resource.TestCase) Verdict {
	return verdictOf(record(t, func(t T) { runCase(t, c, engine.OpenTofu) }))
}

// AsTerraform runs a test case on the engine in this process with Terraform's rules.
func AsTerraform(t T, c resource.TestCase) Verdict {
	return verdictOf(record(t, func(t T) { runCase(t, c, engine.Terraform) }))
}

// OnCLI runs a test case on the command, which must exist.
func OnCLI(t T, c resource.TestCase) Verdict {
	return verdictOf(record(t, func(t T) { resource.Test(t, c) }))
}

// Tested runs a test case with Test.
func Tested(t T, c resource.TestCase) Verdict {
	return verdictOf(record(t, func(t T) { Test(t, c) }))
}

// CompareVerdicts runs both tests and returns the verdict of compareVerdicts.
func CompareVerdicts(t T, own, cli func(T)) Verdict {
	return verdictOf(record(t, func(r T) { compareVerdicts(r, record(t, own), record(t, cli)) }))
}

// RunScript runs one script.
var RunScript = runScript

// ScriptCommands returns the names of all script commands.
func ScriptCommands() []string { return slices.Sorted(maps.Keys(commands)) }

// PlanError returns the errors of a plan in this process in the form of the plan command,
// or "" if the plan succeeds.
func PlanError(text string, factories map[string]func() (tfplugin.ProviderServer, error)) string {
	if _, err := planned(engine.OpenTofu, text, factories, engine.PlanOptions{}); err != nil {
		return strings.TrimPrefix(err.Error(), "exit status 1\n")
	}
	return ""
}

// TargetedPlan returns the plan for targets in this process, with Terraform's rules.
func TargetedPlan(text string, factories map[string]func() (tfplugin.ProviderServer, error), targets ...string) (*tfjson.Plan, error) {
	return planned(engine.Terraform, text, factories, engine.PlanOptions{Targets: targets})
}

func planned(flavor engine.Flavor, text string, factories map[string]func() (tfplugin.ProviderServer, error), opts engine.PlanOptions) (*tfjson.Plan, error) {
	set := providerSet{}
	set.addAll(nil, nil, factories)
	s := newSession(flavor, set, nil)
	files := &fileSet{content: map[string][]byte{"main.tf": []byte(text)}}
	if err := s.setConfig(files, nil); err != nil {
		return nil, err
	}
	plan, err := s.plan(opts)
	if err != nil {
		return nil, err
	}
	return s.planJSON(plan)
}

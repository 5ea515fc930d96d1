package acctest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// stamped is a page that is not managed, on which actions print stamps.
type stamped struct{ dir string }

func newStamped(t *testing.T) stamped {
	t.Helper()
	s := stamped{t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.dir, "page"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(), []byte(`{"Name": "log", "Title": "Log", "Mode": "0644"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s stamped) file() string { return filepath.Join(s.dir, "page", "log.json") }

// config returns the configuration of an object with the input and the triggers, and of
// actions that print the name of their block, their own key or the output of the object, or that fail.
func (s stamped) config(input, triggers string) string {
	return fmt.Sprintf(`provider "demo" {
  directory = %q
}

resource "terraform_data" "it" {
  input = %q
  lifecycle {
%s
  }
}

variable "none" {
  default = ""
}

resource "terraform_data" "user" {
  input = terraform_data.it.output
}

action "demo_stamp" "plain" {
  config {
    page = "log"
    text = "plain"
  }
}

action "demo_stamp" "keyed" {
  for_each = toset(["x", "y"])
  config {
    page = "log"
    text = each.key
  }
}

action "demo_stamp" "computed" {
  config {
    page = "log"
    text = length(terraform_data.it.id) > 0 ? terraform_data.it.output : ""
  }
}

action "demo_stamp" "failing" {
  config {
    page = "none"
    text = "never"
  }
}

action "demo_stamp" "void" {
  config {
    page = "log"
    text = "void"
  }
}
`, s.dir, input, triggers)
}

// trigger returns an action_trigger block.
func trigger(events, condition, actions string) string {
	return fmt.Sprintf("    action_trigger {\n      events = [%s]\n      condition = %s\n      actions = [%s]\n    }\n", events, condition, actions)
}

// prints returns a check of the stamps on the page. A successful check removes the stamps.
func (s stamped) prints(want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		text, err := os.ReadFile(s.file())
		if err != nil {
			return err
		}
		var page map[string]any
		if err := json.Unmarshal(text, &page); err != nil {
			return err
		}
		if got := page["Text"]; got != want {
			return fmt.Errorf("the stamps are %q, want %q", got, want)
		}
		page["Text"] = ""
		if text, err = json.Marshal(page); err != nil {
			return err
		}
		return os.WriteFile(s.file(), text, 0o600)
	}
}

// invokes is the list of the actions that a plan must invoke, one per line, with their triggers and their
// configurations.
type invokes string

func (want invokes) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	var all []string
	for _, i := range req.Plan.ActionInvocations {
		values, err := json.Marshal([]any{i.ConfigValues, i.ConfigUnknown, i.ConfigSensitive})
		if err != nil {
			resp.Error = err
			return
		}
		on := i.LifecycleActionTrigger
		all = append(all, fmt.Sprint(i.Address, " ", on.ActionTriggerEvent, " of ", on.TriggeringResourceAddress, " ", on.ActionTriggerBlockIndex, on.ActionsListIndex, " ", string(values)))
	}
	if got := strings.Join(all, "\n"); got != string(want) {
		resp.Error = fmt.Errorf("the plan invokes\n%s\nwant\n%s", got, want)
	}
}

// actionCase returns a test case for the versions of Terraform that have actions.
func (s stamped) actionCase(steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ProtoV6ProviderFactories: pages, Steps: steps,
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
	}
}

// lifecycle returns a test case with actions that are triggered by a create, an update and a
// replacement, and with actions that fail.
func (s stamped) lifecycle() resource.TestCase {
	all := trigger("before_create, after_create, before_update, after_update", "true", `action.demo_stamp.plain, action.demo_stamp.keyed["y"]`) +
		trigger("after_create", `terraform_data.it.input == "one"`, "action.demo_stamp.computed")
	failing := trigger("before_update", "true", "action.demo_stamp.failing")
	failingAfter := trigger("before_update", "length(var.none) > 0", "action.demo_stamp.failing") +
		trigger("after_update", `terraform_data.it.input == "after"`, "action.demo_stamp.plain, action.demo_stamp.failing, action.demo_stamp.plain")
	failed := regexp.MustCompile("Error when invoking action")
	return s.actionCase(
		resource.TestStep{
			Config: s.config("one", all), Check: s.prints("[plain][y][plain][y][one]"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{invokes(strings.Join([]string{
				`action.demo_stamp.plain BeforeCreate of terraform_data.it 0 0 [{"page":"log","text":"plain","times":null},{},{}]`,
				`action.demo_stamp.plain AfterCreate of terraform_data.it 0 0 [{"page":"log","text":"plain","times":null},{},{}]`,
				`action.demo_stamp.keyed["y"] BeforeCreate of terraform_data.it 0 1 [{"page":"log","text":"y","times":null},{},{}]`,
				`action.demo_stamp.keyed["y"] AfterCreate of terraform_data.it 0 1 [{"page":"log","text":"y","times":null},{},{}]`,
				`action.demo_stamp.computed AfterCreate of terraform_data.it 1 0 [{"page":"log","times":null},{"text":true},{}]`,
			}, "\n"))}},
		},
		resource.TestStep{Config: s.config("one", all), Check: s.prints("")},
		resource.TestStep{Config: s.config("two", all), Check: s.prints("[plain][y][plain][y]")},
		resource.TestStep{Config: s.config("two", all), Taint: []string{"terraform_data.it"}, Check: s.prints("[plain][y][plain][y]")},
		// Nothing is updated if an action before the update fails.
		resource.TestStep{Config: s.config("before", failing), ExpectError: failed},
		resource.TestStep{Config: s.config("two", failing), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		// If an action after the update fails, the update is stored and later actions do not run.
		resource.TestStep{Config: s.config("after", failingAfter), ExpectError: failed},
		resource.TestStep{
			Config: s.config("after", failingAfter), Check: s.prints("[plain]"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

// invalidTriggers are triggers with the summary of their error.
var invalidTriggers = map[string]struct{ trigger, summary string }{
	"no events":            {trigger("", "true", "action.demo_stamp.plain"), "No events specified"},
	"an event of destroys": {trigger("after_destroy", "true", "action.demo_stamp.plain"), `Invalid "event" value after_destroy`},
	"an event in quotes":   {trigger(`"after_create"`, "true", "action.demo_stamp.plain"), `Invalid "event" value`},
	"an event twice":       {trigger("after_create, after_create", "true", "action.demo_stamp.plain"), `Duplicate "after_create" event`},
	"no actions":           {trigger("after_create", "true", ""), "No actions specified"},
	"another reference":    {trigger("after_create", "true", "terraform_data.user"), "Invalid action argument inside action_triggers"},
	"an undeclared action": {trigger("after_create", "true", "action.demo_stamp.none"), "action_trigger actions references non-existent action"},
	"an undeclared key":    {trigger("after_create", "true", `action.demo_stamp.keyed["z"]`), "Reference to non-existent action instance"},
	"a missing key":        {trigger("after_create", "true", "action.demo_stamp.keyed"), "Reference to non-existent action instance"},
	"an unknown condition": {trigger("after_create", `timestamp() == ""`, "action.demo_stamp.plain"), "Condition must be known"},
	"a plan that fails":    {trigger("after_create", "true", "action.demo_stamp.void"), "Failed to plan action"},
	"a condition on the object before its change": {trigger("before_create", `terraform_data.it.input == ""`, "action.demo_stamp.plain"), "Cycle: "},
	"a cycle":                        {trigger("before_create", "true", "action.demo_stamp.computed"), "Cycle: "},
	"a failing action":               {trigger("before_create", "true", "action.demo_stamp.failing"), "Error when invoking action"},
	"the instance before its change": {trigger("before_create, after_create", "count.index == 0", "action.demo_stamp.plain"), "Count reference not allowed"},
}

// invalidBlocks are further blocks with the summary of their error.
var invalidBlocks = map[string]struct{ block, summary string }{
	"an ephemeral value": {`
variable "hidden" {
  ephemeral = true
  default   = "hidden"
}

action "demo_stamp" "secret" {
  config {
    page = "log"
    text = var.hidden
  }
}
`, "Invalid use of ephemeral value"},
	"a trigger of a data source": {`
data "terraform_remote_state" "it" {
  backend = "local"
  lifecycle {
` + trigger("after_create", "true", "action.demo_stamp.plain") + `  }
}
`, "Invalid data resource lifecycle nested block"},
}

// untriggered are actions that no trigger refers to, with the summary of the error that the
// plan or the apply reports.
var untriggered = map[string]struct{ arguments, summary string }{
	"a value of another type":       {"config {\n page = \"log\"\n text = \"x\"\n times = var.none\n }", "Incorrect attribute value type"},
	"a failing function":            {"config {\n page = \"log\"\n text = file(\"/nonexistent${var.none}\")\n }", "Invalid function argument"},
	"an index that is out of range": {"config {\n page = \"log\"\n text = split(\",\", var.none)[3]\n }", "Invalid index"},
	"one instance of several":       {"count = 2\nconfig {\n page = \"log\"\n text = split(\",\", var.none)[count.index]\n }", "Invalid index"},
	"a value of the apply":          {"config {\n page = \"log\"\n text = split(\",\", terraform_data.it.id)[3]\n }", "Invalid index"},
	"an unknown count":              {"count = timestamp() == \"\" ? 1 : 0\nconfig {\n page = \"log\"\n text = \"x\"\n }", "Invalid count argument"},
	"an undeclared resource":        {"config {\n page = \"log\"\n text = terraform_data.none.id\n }", "Reference to undeclared resource"},
	"an invalid constant":           {"config {\n page = \"log\"\n text = \"\"\n }", "Invalid value"},
}

// unused returns an action block that no trigger refers to, with the arguments.
func unused(arguments string) string {
	return "action \"demo_stamp\" \"unused\" {\n" + arguments + "\n}\n"
}

// eventless is the demo provider with actions that return no events.
type eventless struct{ provider.Interface }

func (eventless) InvokeAction(context.Context, provider.InvokeActionRequest) provider.InvokeActionResponse {
	return provider.InvokeActionResponse{}
}

// planOn plans a configuration with the rules of Terraform. It returns a function that applies
// the plan, and the warnings of the plan. The function wrap wraps the demo provider,
// which has no guard.
func planOn(t *testing.T, wrap func(provider.Interface) provider.Interface, text string) (apply func() (*states.State, tfdiags.Diagnostics), problems tfdiags.Diagnostics) {
	t.Helper()
	e := engine.New(engine.Options{Flavor: engine.Terraform, Providers: map[addrs.Provider]engine.Factory{
		{Hostname: "registry.terraform.io", Namespace: "hashicorp", Type: "demo"}: func(context.Context) (provider.Interface, error) {
			p, err := demo.New()
			return wrap(p), err
		},
	}})
	config, diags := configs.Load(configs.Files{"main.tf": []byte(text)}, ".", configs.Options{Terraform: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	plan, problems := e.Plan(t.Context(), config, nil, engine.PlanOptions{})
	if problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	return func() (*states.State, tfdiags.Diagnostics) { return e.Apply(t.Context(), config, plan) }, problems
}

// TestActionWithoutEvents checks that an action that returns no events fails, even if no guard
// checks its responses.
func TestActionWithoutEvents(t *testing.T) {
	t.Parallel()
	text := newStamped(t).config("one", trigger("before_create", "true", "action.demo_stamp.plain"))
	apply, _ := planOn(t, func(p provider.Interface) provider.Interface { return eventless{p} }, text)
	state, problems := apply()
	if got := problems.Error(); !strings.Contains(got, "Error when invoking action") || !strings.Contains(got, "Plugin did not respond") || !state.Empty() {
		t.Errorf("the apply has the error %q, want an error about the missing response; want an empty state, got:\n%s", got, state)
	}
}

// warning is the demo provider with actions that return a warning in the plan.
type warning struct{ provider.Interface }

func (warning) PlanAction(context.Context, provider.PlanActionRequest) provider.PlanActionResponse {
	return provider.PlanActionResponse{Diagnostics: diag.Diagnostics{}.Warnf(nil, "Many pages", "They are stamped one after the other.")}
}

// TestWarningOfAnAction checks that the warning of an action is reported only once, even if its trigger has
// several events.
func TestWarningOfAnAction(t *testing.T) {
	t.Parallel()
	config := newStamped(t).config("one", trigger("before_create, after_create", "true", "action.demo_stamp.plain"))
	_, problems := planOn(t, func(p provider.Interface) provider.Interface { return warning{p} }, config)
	if len(problems) != 1 || problems[0].Summary != "Many pages" {
		t.Errorf("want only the warning \"Many pages\" in the plan, got:\n%s", problems.Format(diag.Warning, nil))
	}
}

// TestActionsOfDeletedObjects checks that, as in Terraform, a trigger of a deleted object may
// refer to a missing instance of an action.
func TestActionsOfDeletedObjects(t *testing.T) {
	t.Parallel()
	s := newStamped(t)
	counted := func(count, triggers string) string {
		config, _, _ := strings.Cut(s.config("one", triggers), `resource "terraform_data" "user"`)
		return strings.Replace(config, "  input", "  count = "+count+"\n  input", 1) +
			"action \"demo_stamp\" \"plain\" {\n  for_each = toset([\"x\"])\n  config {\n    page = \"log\"\n    text = each.key\n  }\n}\n"
	}
	acctest.Test(t, s.actionCase(
		resource.TestStep{Config: counted("1", "")},
		resource.TestStep{Config: counted("0", trigger("after_create", "true", `action.demo_stamp.plain["y"]`))},
	))
}

// TestActions checks the actions of changes, and the errors of triggers and actions, in this process.
func TestActions(t *testing.T) {
	t.Parallel()
	t.Run("lifecycle", func(t *testing.T) {
		t.Parallel()
		acctest.Test(t, newStamped(t).lifecycle()) // with the rules of Terraform, because of the version checks of the test case
	})
	for name, tt := range invalidTriggers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStamped(t)
			acctest.Test(t, s.actionCase(resource.TestStep{Config: s.config("one", tt.trigger), ExpectError: regexp.MustCompile(tt.summary)}))
		})
	}
	for name, tt := range untriggered {
		t.Run("untriggered: "+name, func(t *testing.T) {
			t.Parallel()
			s := newStamped(t)
			acctest.Test(t, s.actionCase(resource.TestStep{Config: s.config("one", "") + unused(tt.arguments), ExpectError: regexp.MustCompile(tt.summary)}))
		})
	}
	for name, tt := range invalidBlocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStamped(t)
			acctest.Test(t, s.actionCase(resource.TestStep{Config: s.config("one", "") + tt.block, ExpectError: regexp.MustCompile(tt.summary)}))
		})
	}
}

// TestTerraformActions checks that the test case lifecycle passes on Terraform and, in the nightly tier, that
// the invalid cases of TestActions have the same errors there.
func TestTerraformActions(t *testing.T) {
	cli := acctest.NeedsCLI(t)
	if !cli.HasQueries() {
		t.Skipf("%s has no actions; make matrix runs this test with Terraform", cli)
	}
	if cli.ConditionsUseSelf() {
		t.Skipf("the engine has the rules of Terraform 1.15 for the conditions of triggers, which differ from those of %s", cli)
	}
	passes := func(c resource.TestCase) {
		if got := acctest.OnCLI(t, c); got.Outcome != passed {
			t.Errorf("the test %s:\n%s", got.Text, got.Log)
		}
	}
	passes(newStamped(t).lifecycle())
	if tier.Pick(true, true, false) {
		return
	}
	s := newStamped(t)
	var steps []resource.TestStep
	for _, name := range slices.Sorted(maps.Keys(invalidTriggers)) {
		tt := invalidTriggers[name]
		steps = append(steps, resource.TestStep{Config: s.config("one", tt.trigger), ExpectError: regexp.MustCompile(tt.summary)})
	}
	for _, name := range slices.Sorted(maps.Keys(untriggered)) {
		tt := untriggered[name]
		steps = append(steps, resource.TestStep{Config: s.config("one", "") + unused(tt.arguments), ExpectError: regexp.MustCompile(tt.summary)})
	}
	for _, name := range slices.Sorted(maps.Keys(invalidBlocks)) {
		tt := invalidBlocks[name]
		steps = append(steps, resource.TestStep{Config: s.config("one", "") + tt.block, ExpectError: regexp.MustCompile(tt.summary)})
	}
	passes(s.actionCase(append(steps, resource.TestStep{Config: s.config("one", "")})...))
}

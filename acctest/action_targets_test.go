package acctest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/demo"
)

// chainedActions is a configuration whose resources depend on each other, directly and through
// the config blocks of actions.
const chainedActions = `
provider "demo" {
  directory = "/nonexistent"
}

resource "terraform_data" "first" {
  lifecycle {
    action_trigger {
      events  = [before_create, after_create]
      actions = [action.demo_stamp.plain]
    }
  }
}

resource "terraform_data" "second" {
  count = 2
  input = terraform_data.first.id
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.demo_stamp.written]
    }
  }
}

resource "terraform_data" "third" {
  input = terraform_data.second[0].id
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.demo_stamp.plain]
    }
  }
}

resource "terraform_data" "text" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.demo_stamp.last]
    }
  }
}

resource "terraform_data" "last" {}

action "demo_stamp" "plain" {
  config {
    page = "log"
    text = "plain"
  }
}

action "demo_stamp" "written" {
  config {
    page = "log"
    text = terraform_data.text.id
  }
}

action "demo_stamp" "last" {
  config {
    page = "log"
    text = terraform_data.last.id
  }
}
`

// targetedActions has the wanted results of planLines for chainedActions, by target.
var targetedActions = map[string][]string{
	"terraform_data.first": {
		"AfterCreate of terraform_data.first: action.demo_stamp.plain", "BeforeCreate of terraform_data.first: action.demo_stamp.plain",
		"create terraform_data.first",
	},
	"terraform_data.second[1]": {
		"AfterCreate of terraform_data.first: action.demo_stamp.plain",
		"AfterCreate of terraform_data.second[1]: action.demo_stamp.written",
		"AfterCreate of terraform_data.text: action.demo_stamp.last",
		"BeforeCreate of terraform_data.first: action.demo_stamp.plain",
		"create terraform_data.first", "create terraform_data.last", "create terraform_data.second[1]", "create terraform_data.text",
	},
	"terraform_data.last": {"create terraform_data.last"},
}

// planLines returns the changes and the action invocations of a plan as lines, sorted.
func planLines(p *tfjson.Plan) []string {
	var lines []string
	for _, c := range p.ResourceChanges {
		for _, action := range c.Change.Actions {
			lines = append(lines, string(action)+" "+c.Address)
		}
	}
	for _, i := range p.ActionInvocations {
		on := i.LifecycleActionTrigger
		lines = append(lines, on.ActionTriggerEvent+" of "+on.TriggeringResourceAddress+": "+i.Address)
	}
	slices.Sort(lines)
	return lines
}

// TestTargetedActions checks that the actions of targets and of their dependencies are
// planned, with the resources that the configurations of these actions refer to.
func TestTargetedActions(t *testing.T) {
	t.Parallel()
	for target, want := range targetedActions {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			plan, err := acctest.TargetedPlan(chainedActions, pages, target)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, planLines(plan)); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTerraformTargetedActions checks that Terraform makes the same plans.
func TestTerraformTargetedActions(t *testing.T) {
	if cli := acctest.NeedsCLI(t); !cli.HasQueries() {
		t.Skipf("%s has no actions; make matrix runs this test with Terraform", cli)
	}
	w := acctest.NewServedWorkdir(t, "demo", demo.New)
	w.Write("main.tf", chainedActions)
	for target, want := range targetedActions {
		w.Do(nil, "plan", "-out=plan", "-target="+target)
		shown := w.Do(nil, "show", "-json", "plan").Output
		var plan tfjson.Plan
		if err := json.Unmarshal([]byte(shown), &plan); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, planLines(&plan)); diff != "" {
			t.Errorf("the plan for %s (-want +got):\n%s", target, diff)
		}
	}
}

package engine_test

import (
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// related has blocks, some of which depend on others, and outputs that refer to one block, to
// two blocks and to no block.
const related = `
resource "terraform_data" "first" { input = 2 }
resource "terraform_data" "second" {
  count = 2
  input = terraform_data.first.output
}
resource "terraform_data" "third" { input = terraform_data.second[0].output }
resource "terraform_data" "other" { input = 1 }
resource "terraform_data" "unknown" { count = terraform_data.other.output }
locals { both = [terraform_data.second[0].output, terraform_data.other.output] }
output "first" { value = terraform_data.first.output }
output "both" { value = local.both }
output "none" { value = 1 }
`

// TestTargets checks that dependencies of targets, or their dependents in a destroy, are
// included, and that nothing else is processed.
func TestTargets(t *testing.T) {
	t.Parallel()
	known := `resource "terraform_data" "first" { input = 1 }
resource "terraform_data" "second" {
  count = 2
  input = terraform_data.first.output
}
resource "terraform_data" "third" { input = terraform_data.second[0].output }
resource "terraform_data" "other" { input = 1 }
locals { both = [terraform_data.second[0].output, terraform_data.other.output] }
output "first" { value = terraform_data.first.output }
output "both" { value = local.both }
`
	for name, c := range map[string]struct {
		applied string // the configuration applied before, if any
		config  string
		opts    engine.PlanOptions
		actions string
		outputs []string // outputs that change
		left    []string // the outputs afterwards
	}{
		"a block": {
			config: related, opts: engine.PlanOptions{Targets: []string{"terraform_data.second"}},
			actions: "terraform_data.first Create, terraform_data.second[0] Create, terraform_data.second[1] Create",
			outputs: []string{"first"}, left: []string{"first"},
		},
		"an instance": {
			config: related, opts: engine.PlanOptions{Targets: []string{"terraform_data.second[1]"}},
			actions: "terraform_data.first Create, terraform_data.second[1] Create",
			outputs: []string{"first"}, left: []string{"first"},
		},
		"an instance that is removed": {
			applied: `resource "terraform_data" "second" { count = 2 }`, config: `resource "terraform_data" "second" { count = 0 }`,
			opts:    engine.PlanOptions{Targets: []string{"terraform_data.second[1]"}},
			actions: "terraform_data.second[1] Delete",
		},
		"outputs of excluded objects are kept": {
			applied: known, config: known, opts: engine.PlanOptions{Targets: []string{"terraform_data.other"}},
			left: []string{"both", "first"},
		},
		"destroy includes dependent objects": {
			applied: known, config: known,
			opts:    engine.PlanOptions{Mode: plans.DestroyMode, Targets: []string{"terraform_data.second"}},
			actions: "terraform_data.second[0] Delete, terraform_data.second[1] Delete, terraform_data.third Delete",
			left:    []string{"both", "first"},
		},
		"destroy includes dependent objects of the state": {
			applied: known, config: ``,
			opts:    engine.PlanOptions{Mode: plans.DestroyMode, Targets: []string{"terraform_data.second[0]"}},
			actions: "terraform_data.second[0] Delete, terraform_data.third Delete",
			left:    []string{"both", "first"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			if c.applied != "" {
				r.apply(c.applied, engine.PlanOptions{})
			}
			plan := r.apply(c.config, c.opts)
			if got := actions(plan); got != c.actions {
				t.Errorf("planned %s\nwant    %s", got, c.actions)
			}
			var changed, left []string
			for _, o := range plan.Outputs {
				if o.Action != plans.NoOp {
					changed = append(changed, o.Name)
				}
			}
			for name := range r.state.RootModule().OutputValues {
				left = append(left, name)
			}
			slices.Sort(left)
			if !slices.Equal(changed, c.outputs) || !slices.Equal(left, c.left) {
				t.Errorf("outputs %v change and %v are in the state, want %v and %v", changed, left, c.outputs, c.left)
			}
		})
	}
}

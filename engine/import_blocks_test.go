package engine_test

import (
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/engine"
)

// TestImportBlocks checks that import blocks may use variables, local values and attributes of
// resources that are known when the object is planned.
func TestImportBlocks(t *testing.T) {
	t.Parallel()
	const before = `
variable "name" { default = "given" }
locals { ids = { a = "one", b = upper("two") } }
resource "terraform_data" "known" { input = "stored" }
`
	r := newRun(t, engine.Options{})
	r.apply(before, engine.PlanOptions{})
	config := before + `
resource "terraform_data" "var" {}
resource "terraform_data" "each" { for_each = local.ids }
resource "terraform_data" "from" {}
import {
  to = terraform_data.var
  id = var.name
}
import {
  for_each = local.ids
  to       = terraform_data.each[each.key]
  id       = each.value
}
import {
  to = terraform_data.from
  id = terraform_data.known.output
}
output "ids" {
  value = [terraform_data.var.id, terraform_data.each["a"].id, terraform_data.each["b"].id, terraform_data.from.id]
}
`
	plan := r.apply(config, engine.PlanOptions{})
	imported := 0
	for _, c := range plan.Changes {
		if c.Importing != nil {
			imported++
		}
	}
	if imported != 4 || actions(plan) != "" {
		t.Errorf("%d objects are imported and %q is planned, want 4 imports and no actions", imported, actions(plan))
	}
	var ids []string
	for _, id := range r.output("ids").AsValueSlice() {
		ids = append(ids, id.AsString())
	}
	if got, want := strings.Join(ids, " "), "given one TWO stored"; got != want {
		t.Errorf("imported %s, want %s", got, want)
	}
	r.empty(config)
}

// TestImportBlockErrors checks the errors for an unknown ID, for two imports to one address,
// and for an import that refers to its own object.
func TestImportBlockErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, want string }{
		"an id that is not known yet": {`
resource "terraform_data" "new" {}
resource "terraform_data" "it" {}
import {
  to = terraform_data.it
  id = terraform_data.new.id
}`, "Invalid import id argument"},
		"one address twice": {`
locals { both = ["a", "b"] }
resource "terraform_data" "it" { count = 1 }
import {
  for_each = toset(local.both)
  to       = terraform_data.it[0]
  id       = each.key
}`, `Duplicate import configuration for "terraform_data.it[0]"`},
		"its own object": {`
resource "terraform_data" "it" {}
import {
  to = terraform_data.it
  id = terraform_data.it.id
}`, "Cycle: terraform_data.it, import of terraform_data.it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			if _, diags := r.engine.Plan(t.Context(), r.load(c.config), nil, engine.PlanOptions{}); !strings.Contains(diags.Error(), c.want) {
				t.Errorf("the plan has the errors %q, want errors that contain %q", diags.Error(), c.want)
			}
		})
	}
}

// TestImportBlocksWithoutTarget checks that if an import has an address that the configuration does
// not have, OpenTofu reports only such imports, and Terraform reports all errors. Neither reports
// an import to an instance of a block whose plan failed.
func TestImportBlocksWithoutTarget(t *testing.T) {
	t.Parallel()
	const missing, broken = "Configuration for import target does not exist", "Invalid function argument"
	for name, c := range map[string]struct{ target, opentofu, terraform string }{
		"no module":          {"module.no.terraform_data.a", missing, broken + ", " + missing},
		"no module instance": {"module.none[0].terraform_data.a", missing, broken + ", " + missing},
		"no block":           {"terraform_data.no", missing, broken + ", " + missing},
		"no instance":        {"terraform_data.none[0]", missing, broken + ", " + missing},
		"not planned":        {"terraform_data.later[0]", broken, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for flavor, want := range map[engine.Flavor]string{engine.OpenTofu: c.opentofu, engine.Terraform: c.terraform} {
				r := newRun(t, engine.Options{Flavor: flavor})
				config := r.withModule(`
module "none" {
  source = "./m"
  count  = 0
}
resource "terraform_data" "none" { count = 0 }
locals { bad = tonumber("x") }
resource "terraform_data" "later" { count = local.bad }
import {
  to = `+c.target+`
  id = "x"
}`, `resource "terraform_data" "a" {}`)
				_, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
				var got []string
				for _, d := range diags {
					got = append(got, d.Summary)
				}
				if strings.Join(got, ", ") != want {
					t.Errorf("as %s, the plan has the messages %q, want %q", flavor, got, want)
				}
			}
		})
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// enabledConfig has a resource and a module with an enabled argument each, a resource that refers to
// the first one, and outputs of their values.
const enabledConfig = `
variable "on" { default = true }
resource "terraform_data" "a" {
  input = "x"
  lifecycle { enabled = var.on }
}
resource "terraform_data" "user" {
  input = terraform_data.a == null ? "none" : terraform_data.a.output
}
module "m" {
  source = "./m"
  lifecycle { enabled = var.on }
}
output "attribute" { value = try(terraform_data.a.input, "none") }
output "all" { value = length(terraform_data.a[*]) }
output "whole" { value = module.m == null }
output "part" { value = try(module.m.out, "none") }
`

// TestEnabled checks that a disabled object and the objects of a disabled module are destroyed, and
// that their values are null.
func TestEnabled(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	config := r.withModule(enabledConfig, "resource \"terraform_data\" \"b\" {}\noutput \"out\" { value = \"y\" }")
	for _, step := range []struct {
		on        string
		actions   string
		attribute string
		all       int64
		part      string
	}{
		{"true", "module.m.terraform_data.b Create, terraform_data.a Create, terraform_data.user Create", "x", 1, "y"},
		{"true", "", "x", 1, "y"},
		{"false", "module.m.terraform_data.b Delete, terraform_data.a Delete, terraform_data.user Update", "none", 0, "none"},
		{"false", "", "none", 0, "none"},
		{"true", "module.m.terraform_data.b Create, terraform_data.a Create, terraform_data.user Update", "x", 1, "y"},
	} {
		if diags := r.engine.Validate(t.Context(), config); diags.HasErrors() {
			t.Fatal(diags.Error())
		}
		plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{Variables: map[string]cty.Value{"on": cty.StringVal(step.on)}})
		if diags.HasErrors() {
			t.Fatal(diags.Error())
		}
		if got := actions(plan); got != step.actions {
			t.Errorf("planned %q, want %q", got, step.actions)
		}
		for _, c := range plan.Changes {
			want := map[string]plans.ActionReason{"terraform_data.a": plans.DeleteBecauseEnabledFalse, "module.m.terraform_data.b": plans.DeleteBecauseNoModule}[c.Addr.String()]
			if c.Action == plans.Delete && c.Reason != want {
				t.Errorf("the reason of the deletion of %s is %q, want %q", c.Addr, c.Reason, want)
			}
		}
		if r.state, diags = r.engine.Apply(t.Context(), config, plan); diags.HasErrors() {
			t.Fatal(diags.Error())
		}
		for name, want := range map[string]cty.Value{
			"attribute": cty.StringVal(step.attribute), "all": cty.NumberIntVal(step.all),
			"whole": cty.BoolVal(step.on == "false"), "part": cty.StringVal(step.part),
		} {
			if got := r.output(name); !got.RawEquals(want) {
				t.Errorf("with enabled = %s, the output %s is %#v, want %#v", step.on, name, got, want)
			}
		}
	}
	plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{Mode: plans.DestroyMode})
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	if r.state, diags = r.engine.Apply(t.Context(), config, plan); diags.HasErrors() || !r.state.Empty() {
		t.Errorf("after the destroy, the state has %s, want nothing; errors: %s", r.state, diags.Error())
	}
}

// TestInvalidEnabled checks the errors for invalid values of the enabled argument. As in
// core, only the plan reports them.
func TestInvalidEnabled(t *testing.T) {
	t.Parallel()
	const invalid = "Invalid enabled argument"
	for value, want := range map[string]string{
		`null`:                   invalid,
		`sensitive(true)`:        invalid,
		`sensitive(null)`:        invalid + ", " + invalid,
		`var.secret`:             invalid,
		`[]`:                     invalid,
		`"yes"`:                  invalid,
		`terraform_data.new.id`:  invalid,
		`tobool("maybe")`:        "Invalid function argument, " + invalid,
		`count.index == 0`:       `Reference to "count" in non-counted context`,
		`each.key == "a"`:        `Reference to "each" in context without for_each`,
		`terraform_data.gone.id`: "Reference to undeclared resource",
		`"true"`:                 "",
		`var.plain`:              "",
	} {
		for _, block := range []string{"resource \"terraform_data\" \"a\" {\n", "module \"m\" {\n  source = \"./m\"\n"} {
			r := newRun(t, engine.Options{})
			config := r.withModule(fmt.Sprintf(`
variable "secret" {
  default   = true
  ephemeral = true
}
variable "plain" { default = true }
resource "terraform_data" "new" {}
%s  lifecycle { enabled = %s }
}
`, block, value), "")
			if diags := r.engine.Validate(t.Context(), config); diags.HasErrors() {
				t.Errorf("enabled = %s: the validation has the errors %s, want none", value, diags.Error())
			}
			_, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
			var got []string
			for _, d := range diags {
				got = append(got, d.Summary)
			}
			if summaries := strings.Join(got, ", "); summaries != want {
				t.Errorf("enabled = %s: the plan has the errors %q, want %q", value, summaries, want)
			}
		}
	}
}

// TestEnabledAndMoves checks moves from and to blocks with enabled, imports to them, and removed
// blocks.
func TestEnabledAndMoves(t *testing.T) {
	t.Parallel()
	const (
		plain    = `resource "terraform_data" "a" {}`
		on       = "resource \"terraform_data\" \"a\" {\n  lifecycle { enabled = true }\n}\n"
		off      = "resource \"terraform_data\" \"a\" {\n  lifecycle { enabled = false }\n}\n"
		counted  = `resource "terraform_data" "b" { count = 1 }` + "\n"
		moved    = "moved {\n  from = terraform_data.a\n  to   = terraform_data.b[0]\n}\n"
		imported = "import {\n  to = terraform_data.a\n  id = \"here\"\n}\n"
	)
	for name, c := range map[string]struct{ before, after, actions, summaries string }{
		"enabled added":                       {before: plain, after: on},
		"count replaced by enabled":           {before: `resource "terraform_data" "a" { count = 1 }`, after: on},
		"moved from a disabled block":         {before: plain, after: off + counted + moved},
		"moved from an enabled block":         {before: plain, after: on + counted + moved, summaries: "Moved object still exists"},
		"moved to a disabled block":           {before: `resource "terraform_data" "b" {}`, after: off + "moved {\n  from = terraform_data.b\n  to   = terraform_data.a\n}", actions: "terraform_data.a Delete"},
		"all instances moved from a disabled": {before: plain, after: off + "moved {\n  from = terraform_data.a\n  to   = terraform_data.c\n}", summaries: "Moved object still exists"},
		"imported to an enabled block":        {after: on + imported},
		"imported to a disabled block":        {after: off + imported, summaries: "Configuration for import target does not exist"},
		"removed, but only disabled":          {before: plain, after: off + "removed {\n  from = terraform_data.a\n}", summaries: "Removed resource block still exists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			r.apply(c.before, engine.PlanOptions{})
			plan, diags := r.engine.Plan(t.Context(), r.load(c.after), r.state, engine.PlanOptions{})
			var got []string
			for _, d := range diags {
				got = append(got, d.Summary)
			}
			if summaries := strings.Join(got, ", "); summaries != c.summaries || c.summaries == "" && actions(plan) != c.actions {
				t.Errorf("planned %q with the messages %q, want %q with %q", actions(plan), summaries, c.actions, c.summaries)
			}
		})
	}
}

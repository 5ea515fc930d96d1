package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/states"
)

// run is a lifecycle on one engine.
type run struct {
	*testing.T
	engine *engine.Engine
	state  *states.State
	// before is prepended to the text of each configuration.
	before string
}

func newRun(t *testing.T, opts engine.Options) *run {
	t.Helper()
	return &run{T: t, engine: engine.New(opts), state: states.NewState()}
}

func (r *run) load(text string) *configs.Config {
	r.Helper()
	config, diags := configs.Load(configs.Files{"main.tf": []byte(r.before + text)}, ".", configs.Options{})
	if diags.HasErrors() {
		r.Fatal(diags)
	}
	return config
}

func (r *run) plan(text string, opts engine.PlanOptions) *plans.Plan {
	r.Helper()
	plan, diags := r.engine.Plan(r.Context(), r.load(text), r.state, opts)
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	return plan
}

func (r *run) apply(text string, opts engine.PlanOptions) *plans.Plan {
	r.Helper()
	return r.applyConfig(r.load(text), opts)
}

func (r *run) applyConfig(config *configs.Config, opts engine.PlanOptions) *plans.Plan {
	r.Helper()
	if diags := r.engine.Validate(r.Context(), config); diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	plan, diags := r.engine.Plan(r.Context(), config, r.state, opts)
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	state, diags := r.engine.Apply(r.Context(), config, plan)
	r.state = state
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	return plan
}

// empty checks that a plan changes nothing.
func (r *run) empty(text string) {
	r.Helper()
	if plan := r.plan(text, engine.PlanOptions{}); !plan.Empty() {
		r.Errorf("the plan is not empty: %s", actions(plan))
	}
}

func (r *run) output(name string) cty.Value {
	r.Helper()
	o := r.state.RootModule().OutputValues[name]
	if o == nil {
		r.Fatalf("the state has no output %s", name)
	}
	return o.Value
}

const chain = `
variable "first" {
  default = "a"
}
locals {
  both = "${terraform_data.one.output}-${var.first}"
}
resource "terraform_data" "one" {
  input = var.first
}
resource "terraform_data" "many" {
  count            = 2
  input            = "${local.both}-${count.index}"
  triggers_replace = terraform_data.one.output
}
output "all" {
  value = terraform_data.many[*].output
}
`

func TestLifecycle(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	first := r.apply(chain, engine.PlanOptions{})
	if len(first.Changes) != 3 {
		t.Errorf("%d changes planned, want 3", len(first.Changes))
	}
	want := cty.TupleVal([]cty.Value{cty.StringVal("a-a-0"), cty.StringVal("a-a-1")})
	if got := r.output("all"); !got.RawEquals(want) {
		t.Errorf("output all is %#v, want %#v", got, want)
	}
	if again := r.plan(chain, engine.PlanOptions{}); !again.Empty() {
		t.Errorf("a plan after apply is not empty: %s", actions(again))
	}
	changed := r.apply(chain, engine.PlanOptions{Variables: map[string]cty.Value{"first": cty.StringVal("b")}})
	if got, want := actions(changed), "terraform_data.many[0] DeleteThenCreate, terraform_data.many[1] DeleteThenCreate, terraform_data.one Update"; got != want {
		t.Errorf("actions of a change: %s, want %s", got, want)
	}
	r.apply(chain, engine.PlanOptions{Mode: plans.DestroyMode})
	if !r.state.Empty() {
		t.Errorf("the state is not empty after a destroy: %s", r.state)
	}
}

func actions(p *plans.Plan) string {
	text := ""
	for _, c := range p.Changes {
		if c.Action == plans.NoOp {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += c.Addr.String() + " " + c.Action.String()
	}
	return text
}

func createFirstChain(count int, createFirst bool) string {
	return fmt.Sprintf(`resource "terraform_data" "x" {}
resource "terraform_data" "y" {
  count = %d
  input = terraform_data.x.id
  lifecycle { create_before_destroy = %t }
}
resource "terraform_data" "z" { input = terraform_data.y[*].id }`, count, createFirst)
}

// TestLifecycles checks the planned actions of each step, and that the plan after each apply is empty.
func TestLifecycles(t *testing.T) {
	t.Parallel()
	type step struct {
		config  string
		mode    plans.Mode
		actions string
	}
	for name, steps := range map[string][]step{
		"for_each with other keys": {
			{config: `resource "terraform_data" "x" {
  for_each = { a = 1, b = 2 }
  input    = each.value
}`, actions: `terraform_data.x["a"] Create, terraform_data.x["b"] Create`},
			{config: `resource "terraform_data" "x" {
  for_each = toset(["b", "c"])
  input    = 2
}`, actions: `terraform_data.x["a"] Delete, terraform_data.x["c"] Create`},
		},
		"count added and removed": {
			{config: `resource "terraform_data" "x" {}`, actions: "terraform_data.x Create"},
			{config: `resource "terraform_data" "x" { count = 2 }`, actions: "terraform_data.x[1] Create"},
			{config: `resource "terraform_data" "x" {}`, actions: "terraform_data.x[1] Delete"},
		},
		"blocks removed": {
			{config: `resource "terraform_data" "x" {}
resource "terraform_data" "y" { input = terraform_data.x.id }`, actions: "terraform_data.x Create, terraform_data.y Create"},
			{config: ``, actions: "terraform_data.x Delete, terraform_data.y Delete"},
		},
		"moved": {
			{config: `resource "terraform_data" "x" { input = 1 }`, actions: "terraform_data.x Create"},
			{config: `resource "terraform_data" "y" { input = 1 }
moved {
  from = terraform_data.x
  to   = terraform_data.y
}`, actions: ""},
		},
		"removed block without destroy": {
			{config: `resource "terraform_data" "x" { input = 1 }`, actions: "terraform_data.x Create"},
			{config: `removed {
  from = terraform_data.x
  lifecycle {
    destroy = false
  }
}`, actions: "terraform_data.x Forget"},
			{config: ``, actions: ""},
		},
		"create before destroy": {
			{config: `resource "terraform_data" "x" {
  triggers_replace = 1
}
resource "terraform_data" "y" {
  triggers_replace = terraform_data.x.id
  lifecycle { create_before_destroy = true }
}`, actions: "terraform_data.x Create, terraform_data.y Create"},
			{config: `resource "terraform_data" "x" {
  triggers_replace = 2
}
resource "terraform_data" "y" {
  triggers_replace = terraform_data.x.id
  lifecycle { create_before_destroy = true }
}`, actions: "terraform_data.x CreateThenDelete, terraform_data.y CreateThenDelete"},
			{config: ``, actions: "terraform_data.x Delete, terraform_data.y Delete"},
		},
		"create before destroy with a smaller count in the middle of a chain": {
			{config: createFirstChain(2, true), actions: "terraform_data.x Create, terraform_data.y[0] Create, terraform_data.y[1] Create, terraform_data.z Create"},
			{config: createFirstChain(1, true), actions: "terraform_data.y[1] Delete, terraform_data.z Update"},
			{config: createFirstChain(2, true), actions: "terraform_data.y[1] Create, terraform_data.z Update"},
			{config: createFirstChain(1, false), actions: "terraform_data.y[1] Delete, terraform_data.z Update"},
		},
		"ignore_changes": {
			{config: `resource "terraform_data" "x" {
  input = { a = 1, b = 2 }
}`, actions: "terraform_data.x Create"},
			{config: `resource "terraform_data" "x" {
  input = { a = 2, b = 2 }
  lifecycle { ignore_changes = [input.a] }
}`, actions: ""},
			{config: `resource "terraform_data" "x" {
  input = { a = 2, b = 3 }
  lifecycle { ignore_changes = [input] }
}`, actions: ""},
			{config: `resource "terraform_data" "x" {
  triggers_replace = 7
  lifecycle { ignore_changes = all }
}`, actions: ""},
		},
		"replace_triggered_by": {
			{config: `resource "terraform_data" "x" { input = 1 }
resource "terraform_data" "y" {
  lifecycle { replace_triggered_by = [terraform_data.x.output] }
}`, actions: "terraform_data.x Create, terraform_data.y Create"},
			{config: `resource "terraform_data" "x" { input = 2 }
resource "terraform_data" "y" {
  lifecycle { replace_triggered_by = [terraform_data.x.output] }
}`, actions: "terraform_data.x Update, terraform_data.y DeleteThenCreate"},
		},
		"import": {
			{config: `resource "terraform_data" "x" {}
import {
  to = terraform_data.x
  id = "here"
}`, actions: ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			for i, s := range steps {
				plan := r.apply(s.config, engine.PlanOptions{Mode: s.mode})
				if got := actions(plan); got != s.actions {
					t.Errorf("step %d: planned %s\nwant %s", i+1, got, s.actions)
				}
				if again := r.plan(s.config, engine.PlanOptions{}); !again.Empty() {
					t.Errorf("step %d: the plan afterwards is not empty: %s", i+1, actions(again))
				}
			}
			r.apply(``, engine.PlanOptions{})
			if !r.state.Empty() {
				t.Errorf("the state is not empty at the end: %s", r.state)
			}
		})
	}
}

// TestReplaceReasons checks that a trigger is the reason for a replacement even if the object
// is tainted or its replacement is requested.
func TestReplaceReasons(t *testing.T) {
	t.Parallel()
	const text = `
resource "terraform_data" "origin" {
  input = %d
}
resource "terraform_data" "tainted" {}
resource "terraform_data" "triggered" {
  for_each = toset(["asked", "tainted", "other"])
  lifecycle {
    replace_triggered_by = [terraform_data.origin]
  }
}
`
	r := newRun(t, engine.Options{})
	r.apply(fmt.Sprintf(text, 1), engine.PlanOptions{})
	for _, name := range []string{"terraform_data.tainted", `terraform_data.triggered["tainted"]`} {
		addr := mustInstance(t, name)
		tainted := *r.state.ResourceInstance(addr).Current
		tainted.Status = states.ObjectTainted
		r.state.SyncWrapper().SetResourceInstanceCurrent(addr, &tainted, r.state.Resource(addr.ContainingResource()).ProviderConfig)
	}
	want := map[string]plans.ActionReason{
		"terraform_data.origin":               plans.NoReason,
		"terraform_data.tainted":              plans.ReplaceBecauseTainted,
		`terraform_data.triggered["asked"]`:   plans.ReplaceByTriggers,
		`terraform_data.triggered["tainted"]`: plans.ReplaceByTriggers,
		`terraform_data.triggered["other"]`:   plans.ReplaceByTriggers,
	}
	plan := r.plan(fmt.Sprintf(text, 2), engine.PlanOptions{ForceReplace: []addrs.AbsResourceInstance{mustInstance(t, `terraform_data.triggered["asked"]`)}})
	for _, c := range plan.Changes {
		if c.Reason != want[c.Addr.String()] {
			t.Errorf("the reason of the change of %s is %q, want %q", c.Addr, c.Reason, want[c.Addr.String()])
		}
	}
	if len(plan.Changes) != len(want) {
		t.Errorf("%d changes planned, want %d", len(plan.Changes), len(want))
	}
}

// TestDeposedWithoutSuccessor checks that an object stays deposed if the create of its successor
// fails before the provider is called, as in core.
func TestDeposedWithoutSuccessor(t *testing.T) {
	t.Parallel()
	const text = `
resource "terraform_data" "origin" {
  input = %q
}
resource "terraform_data" "replaced" {
  triggers_replace = terraform_data.origin.output
  lifecycle {
    create_before_destroy = true
    precondition {
      condition     = terraform_data.origin.output != "bad"
      error_message = "The origin is bad."
    }
  }
}
`
	r := newRun(t, engine.Options{})
	r.apply(fmt.Sprintf(text, "good"), engine.PlanOptions{})
	bad := r.load(fmt.Sprintf(text, "bad"))
	plan, diags := r.engine.Plan(t.Context(), bad, r.state, engine.PlanOptions{})
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	if got, want := actions(plan), "terraform_data.origin Update, terraform_data.replaced CreateThenDelete"; got != want {
		t.Fatalf("planned %s, want %s", got, want)
	}
	r.state, diags = r.engine.Apply(t.Context(), bad, plan)
	if len(diags) != 1 || diags[0].Summary != "Resource precondition failed" {
		t.Errorf("the apply has the errors %s, want the error of the precondition", diags.Error())
	}
	left := r.state.ResourceInstance(mustInstance(t, "terraform_data.replaced"))
	if left == nil || left.Current != nil || len(left.Deposed) != 1 {
		t.Fatalf("the state has %+v, want a deposed object", left)
	}
	next := r.apply(fmt.Sprintf(text, "better"), engine.PlanOptions{})
	if got, want := actions(next), "terraform_data.origin Update, terraform_data.replaced Create, terraform_data.replaced Delete"; got != want {
		t.Errorf("planned %s, want %s", got, want)
	}
}

// TestDataInputRemoved checks that the output of a terraform_data is unknown in the plan that
// removes its input.
func TestDataInputRemoved(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	r.apply(`resource "terraform_data" "a" { input = "x" }`, engine.PlanOptions{})
	const without = `resource "terraform_data" "a" {}`
	plan := r.apply(without, engine.PlanOptions{})
	if len(plan.Changes) != 1 || plan.Changes[0].After.GetAttr("output").IsKnown() {
		t.Errorf("planned %s, want one change with an unknown output", actions(plan))
	}
	r.empty(without)
}

// TestTriggersBeforePreconditions checks that the triggers of a replacement are evaluated before
// the preconditions, as in core: an invalid trigger is the only error.
func TestTriggersBeforePreconditions(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	_, diags := r.engine.Plan(t.Context(), r.load(`
resource "terraform_data" "none" {
  count = 0
}
resource "terraform_data" "it" {
  lifecycle {
    replace_triggered_by = [terraform_data.none]
    precondition {
      condition     = path.module == "elsewhere"
      error_message = "It is not elsewhere."
    }
  }
}
`), nil, engine.PlanOptions{})
	if len(diags) != 1 || !strings.HasPrefix(diags[0].Summary, "no change found for terraform_data.none") {
		t.Errorf("the plan has the errors %s, want the error of the trigger", diags.Error())
	}
}

// TestValidations checks the errors of a variable whose value breaks two rules. OpenTofu reports
// the first one only.
func TestValidations(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		_, diags := r.engine.Plan(t.Context(), r.load(`
variable "size" {
  default = 7
  validation {
    condition     = var.size > 10
    error_message = "The size is too small."
  }
  validation {
    condition     = var.size % 2 == 0
    error_message = "The size is odd."
  }
}
`), nil, engine.PlanOptions{})
		want := []string{"The size is too small."}
		if flavor == engine.Terraform {
			want = append(want, "The size is odd.")
		}
		if len(diags) != len(want) {
			t.Fatalf("the plan has the errors %s, want %q", diags.Error(), want)
		}
		for i, message := range want {
			if !strings.HasPrefix(diags[i].Detail, message) {
				t.Errorf("the detail of error %d is %q, want a detail that starts with %q", i+1, diags[i].Detail, message)
			}
		}
	})
}

// TestValidationMessageInJSON checks that an error message in JSON that cannot be evaluated is used
// literally, with a warning.
func TestValidationMessageInJSON(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		const failed, literal = "Invalid value for variable", "Validation error message expression is invalid"
		for message, want := range map[string][]string{
			"Not a ${template.":   {literal, failed},
			"Not a ${function()}": {literal, failed},
			"A $${template}.":     {failed},
		} {
			config, diags := configs.Load(configs.Files{"main.tf.json": []byte(`{"variable": {"size": {"default": 7, "validation": {
  "condition": "${var.size > 10}", "error_message": "` + message + `"
}}}}`)}, ".", configs.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			_, found := engine.New(engine.Options{Flavor: flavor}).Plan(t.Context(), config, nil, engine.PlanOptions{})
			var got []string
			for _, d := range found {
				got = append(got, d.Summary)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("the plan with the message %q has the diagnostics %q, want %q", message, got, want)
			}
			text := strings.Replace(message, "$${", "${", 1)
			if last := found[len(found)-1]; !strings.HasPrefix(last.Detail, text) {
				t.Errorf("the detail of the error is %q, want a detail that starts with %q", last.Detail, text)
			}
			if len(want) == 2 && found[0].Severity != diag.Warning {
				t.Errorf("the first diagnostic of the message %q is an error, want a warning", message)
			}
		}
	})
}

// TestDeprecatedOutput checks that only OpenTofu plans an update of an output whose deprecation changes.
func TestDeprecatedOutput(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		r.apply("output \"o\" { value = 1 }", engine.PlanOptions{})
		for _, argument := range []string{`deprecated = "Use p."`, `deprecated = "Use q."`, ""} {
			text := "output \"o\" {\n  value = 1\n  " + argument + "\n}"
			want := plans.NoOp
			if flavor == engine.OpenTofu {
				want = plans.Update
			}
			if plan := r.apply(text, engine.PlanOptions{}); len(plan.Outputs) != 1 || plan.Outputs[0].Action != want {
				t.Errorf("the plan of an output with the argument %q has the changes %+v, want %s", argument, plan.Outputs, want)
			}
			r.empty(text)
		}
	})
}

// TestFunctionsOfFlavors checks which calls only Terraform rejects.
func TestFunctionsOfFlavors(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		for call, problem := range map[string]string{
			`urldecode("a")`:              "Call to unknown function",
			`templatestring("a", {})`:     "Invalid function argument",
			`templatestring(var.one, {})`: "",
		} {
			r := newRun(t, engine.Options{Flavor: flavor})
			_, diags := r.engine.Plan(t.Context(), r.load("variable \"one\" { default = \"a\" }\noutput \"o\" { value = "+call+" }"), nil, engine.PlanOptions{})
			got := ""
			if len(diags) > 0 {
				got = diags[0].Summary
			}
			if flavor == engine.OpenTofu {
				problem = ""
			}
			if got != problem {
				t.Errorf("the plan of %s has the errors %s, want %q", call, diags.Error(), problem)
			}
		}
	})
}

// TestBuiltinFunctions checks the functions of the built-in provider.
func TestBuiltinFunctions(t *testing.T) {
	t.Parallel()
	const required = "terraform {\n  required_providers {\n    terraform = { source = \"terraform.io/builtin/terraform\" }\n  }\n}\n"
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		r.before = required
		r.apply(`
output "o" {
  value = [
    provider::terraform::encode_tfvars({ b = "x", a = 1 }),
    provider::terraform::decode_tfvars("a = 1\nb = [\"x\"]\n"),
    provider::terraform::encode_expr([1, "x"]),
  ]
}
`, engine.PlanOptions{})
		want := cty.TupleVal([]cty.Value{
			cty.StringVal("a = 1\nb = \"x\"\n"),
			cty.ObjectVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "b": cty.TupleVal([]cty.Value{cty.StringVal("x")})}),
			cty.StringVal(`[1, "x"]`),
		})
		if got := r.output("o"); !got.RawEquals(want) {
			t.Errorf("the functions return %#v, want %#v", got, want)
		}
		const ofMap = `encode_tfvars(tomap({ a = 1 }))` // Terraform accepts it
		invalid := []string{`decode_tfvars("a = b")`, `decode_tfvars("a {}")`, `decode_tfvars("a")`, `encode_tfvars("a")`, `encode_tfvars({ "a b" = 1 })`}
		if flavor == engine.OpenTofu {
			invalid = append(invalid, ofMap)
		} else {
			r.apply("output \"m\" { value = provider::terraform::"+ofMap+" }", engine.PlanOptions{})
			if got := r.output("m"); !got.RawEquals(cty.StringVal("a = 1\n")) {
				t.Errorf("%s returns %#v, want \"a = 1\\n\"", ofMap, got)
			}
		}
		for _, call := range invalid {
			_, diags := r.engine.Plan(t.Context(), r.load("output \"o\" { value = provider::terraform::"+call+" }"), nil, engine.PlanOptions{})
			if len(diags) != 1 || diags[0].Summary != "Error in function call" {
				t.Errorf("the plan of %s has the errors %s, want an error about the function call", call, diags.Error())
			}
		}
	})
}

// TestUnknownNamespaces checks the summaries of errors about functions and namespaces that do not
// exist.
func TestUnknownNamespaces(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		"nowhere()":                    "Call to unknown function",
		"core::nowhere()":              "Call to unknown function",
		"other::nowhere()":             "Unknown function namespace",
		"provider::nowhere()":          "Unable to parse provider function",
		"provider::a::nowhere()":       "Unknown function provider",
		"provider::a::b::nowhere()":    "Not supported by the in-process engine",
		"provider::a::b::c::nowhere()": "Unable to parse provider function",
	} {
		r := newRun(t, engine.Options{})
		_, diags := r.engine.Plan(t.Context(), r.load("output \"o\" { value = "+call+" }"), nil, engine.PlanOptions{})
		if len(diags) != 1 || diags[0].Summary != want {
			t.Errorf("the plan of %s has the errors %s, want %s", call, diags.Error(), want)
		}
	}
}

// BenchmarkLifecycle loads a small configuration, creates its objects, plans again and
// destroys them.
func BenchmarkLifecycle(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		config, diags := configs.Load(configs.Files{"main.tf": []byte(chain)}, ".", configs.Options{})
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		e := engine.New(engine.Options{})
		state := states.NewState()
		for _, mode := range []plans.Mode{plans.NormalMode, plans.NormalMode, plans.DestroyMode} {
			plan, diags := e.Plan(b.Context(), config, state, engine.PlanOptions{Mode: mode})
			if diags.HasErrors() {
				b.Fatal(diags.Error())
			}
			if state, diags = e.Apply(b.Context(), config, plan); diags.HasErrors() {
				b.Fatal(diags.Error())
			}
		}
		if !state.Empty() {
			b.Fatal(state)
		}
	}
}

// TestRefreshOnlyInstances checks that expressions in a refresh-only run use the instances in the
// state, even if the configuration has others.
func TestRefreshOnlyInstances(t *testing.T) {
	t.Parallel()
	const text = "resource \"terraform_data\" \"a\" {\n  count = %d\n}\noutput \"count\" { value = length(terraform_data.a) }\n"
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		r.apply(fmt.Sprintf(text, 2), engine.PlanOptions{})
		for _, count := range []int{1, 2, 3} {
			r.apply(fmt.Sprintf(text, count), engine.PlanOptions{Mode: plans.RefreshOnlyMode})
			if got := r.output("count"); !got.RawEquals(cty.NumberIntVal(2)) {
				t.Errorf("with count = %d, the output count is %#v, want 2", count, got)
			}
		}
		missing := r.load(fmt.Sprintf(text, 3) + `output "third" { value = terraform_data.a[2].id }`)
		_, diags := r.engine.Plan(t.Context(), missing, r.state, engine.PlanOptions{Mode: plans.RefreshOnlyMode})
		if len(diags) != 1 || diags[0].Summary != "Invalid index" {
			t.Errorf("a reference to an instance that is not in the state has the errors %s, want an error about the index", diags.Error())
		}
	})
}

// TestProviderFunctionInTemplate checks that templates can call functions of providers in Terraform, but not in
// OpenTofu.
func TestProviderFunctionInTemplate(t *testing.T) {
	t.Parallel()
	const config = `
terraform {
  required_providers {
    terraform = { source = "terraform.io/builtin/terraform" }
  }
}
locals { text = "$${provider::terraform::encode_expr(\"x\")}" }
output "it" { value = templatestring(local.text, {}) }
`
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		plan, diags := r.engine.Plan(t.Context(), r.load(config), r.state, engine.PlanOptions{})
		if flavor == engine.OpenTofu {
			if !strings.Contains(diags.Error(), "There are no functions in namespace") {
				t.Errorf("diagnostics %v, want an error about the namespace", diags)
			}
			return
		}
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := plan.Outputs[0].After; !got.RawEquals(cty.StringVal(`"x"`)) {
			t.Errorf("the output is %#v, want %q", got, `"x"`)
		}
	})
}

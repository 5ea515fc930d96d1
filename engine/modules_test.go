package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// withModule loads a root module and a module in ./m, without r.before.
func (r *run) withModule(root, module string) *configs.Config {
	r.Helper()
	config, diags := configs.Load(configs.Files{"main.tf": []byte(root), "m/main.tf": []byte(module)}, ".", configs.Options{})
	if diags.HasErrors() {
		r.Fatal(diags)
	}
	return config
}

// TestCheckResults checks that a plan has one result for each instance of an object with conditions, with
// the worst status of its conditions, and that the results of all instances have the same Object: the
// address in the configuration.
func TestCheckResults(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	config := r.withModule(`
module "m" {
  source = "./m"
  count  = 2
  size   = count.index
}
`, `
variable "size" {
  validation {
    condition     = var.size < 10
    error_message = "It is too big."
  }
}
resource "terraform_data" "a" {
  input = var.size
  lifecycle {
    precondition {
      condition     = var.size < 10
      error_message = "It is too big."
    }
    postcondition {
      condition     = self.output < 10
      error_message = "It is too big."
    }
  }
}
resource "terraform_data" "b" {
  input = var.size
  lifecycle {
    precondition {
      condition     = terraform_data.a.output < 10
      error_message = "It is too big."
    }
    postcondition {
      condition     = self.input < 10
      error_message = "It is too big."
    }
  }
}
output "size" {
  value = var.size
  precondition {
    condition     = var.size < 10
    error_message = "It is too big."
  }
}
check "size" {
  assert {
    condition     = var.size < 1
    error_message = "It is too big."
  }
}
`)
	plan, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	var got []string
	for _, c := range plan.Checks {
		got = append(got, strings.Join([]string{c.Kind, c.Object, c.Instance, string(c.Status)}, " "))
	}
	want := []string{
		"check module.m.check.size module.m[0].check.size pass",
		"check module.m.check.size module.m[1].check.size fail",
		"output_value module.m.output.size module.m[0].output.size pass",
		"output_value module.m.output.size module.m[1].output.size pass",
		"resource module.m.terraform_data.a module.m[0].terraform_data.a unknown",
		"resource module.m.terraform_data.a module.m[1].terraform_data.a unknown",
		"resource module.m.terraform_data.b module.m[0].terraform_data.b unknown",
		"resource module.m.terraform_data.b module.m[1].terraform_data.b unknown",
		"var module.m.var.size module.m[0].var.size pass",
		"var module.m.var.size module.m[1].var.size pass",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the plan has the results\n%q\nwant\n%q", got, want)
	}
}

// TestModuleErrors checks the errors of values that must not pass between modules, of cycles, and
// of an unknown count.
func TestModuleErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ root, module, want string }{
		"an ephemeral argument": {
			root:   "variable \"secret\" {\n  ephemeral = true\n  default = \"s\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  v = var.secret\n}",
			module: `variable "v" {}`, want: "Variable does not allow ephemeral value",
		},
		"an ephemeral output": {
			root:   "variable \"secret\" {\n  ephemeral = true\n  default = \"s\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  v = var.secret\n}",
			module: "variable \"v\" { ephemeral = true }\noutput \"v\" { value = \"x${var.v}\" }", want: "Output does not allow ephemeral value",
		},
		"a sensitive output of a module": {
			root:   "module \"m\" {\n  source = \"./m\"\n}\noutput \"v\" { value = [module.m.v] }",
			module: "locals { secret = sensitive(\"s\") }\noutput \"v\" { value = \"x${local.secret}\" }", want: "Output refers to sensitive values",
		},
		"a cycle through a module": {
			root:   "module \"m\" {\n  source = \"./m\"\n  v = terraform_data.a.output\n}\nresource \"terraform_data\" \"a\" { input = module.m.v }",
			module: "variable \"v\" {}\noutput \"v\" { value = var.v }", want: "Cycle: ",
		},
		"a module that depends on itself": {
			root:   "module \"m\" {\n  source = \"./m\"\n  depends_on = [terraform_data.a]\n}\nresource \"terraform_data\" \"a\" { input = module.m.v }",
			module: "output \"v\" { value = 1 }", want: "Cycle: ",
		},
		"an unknown count": {
			root:   "module \"m\" {\n  source = \"./m\"\n  count = length(terraform_data.a.output)\n}\nresource \"terraform_data\" \"a\" { input = \"x\" }",
			module: `resource "terraform_data" "b" {}`, want: "Invalid count argument",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			if _, diags := r.engine.Plan(t.Context(), r.withModule(c.root, c.module), nil, engine.PlanOptions{}); !strings.Contains(diags.Error(), c.want) {
				t.Errorf("got %q, want %q", diags.Error(), c.want)
			}
		})
	}
}

// TestNestedEphemeralOutput checks when an output with an ephemeral value in it is an error:
// OpenTofu's validation accepts the output, because its value is partly unknown and not marked as a whole.
func TestNestedEphemeralOutput(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		config := r.withModule("variable \"secret\" {\n  ephemeral = true\n  default = \"s\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  v = var.secret\n}",
			"variable \"v\" { ephemeral = true }\noutput \"v\" { value = { part = var.v } }")
		validated := r.engine.Validate(t.Context(), config)
		if got, want := validated.HasErrors(), flavor == engine.Terraform; got != want {
			t.Errorf("the validation has errors: %t, want %t: %s", got, want, validated.Error())
		}
		if _, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{}); !diags.HasErrors() {
			t.Error("the plan has no errors, want an error")
		}
	})
}

// TestModuleWithoutOutputs checks the values of modules that have no outputs. For OpenTofu, they have
// no instances unless they are called without count, for_each and enabled.
func TestModuleWithoutOutputs(t *testing.T) {
	t.Parallel()
	two := cty.TupleVal([]cty.Value{cty.EmptyObjectVal, cty.EmptyObjectVal})
	for repetition, want := range map[string]struct{ openTofu, terraform cty.Value }{
		"":                             {cty.EmptyObjectVal, cty.EmptyObjectVal},
		"count = 2":                    {cty.EmptyTupleVal, two},
		`for_each = toset(["x"])`:      {cty.EmptyObjectVal, cty.ObjectVal(map[string]cty.Value{"x": cty.EmptyObjectVal})},
		"lifecycle { enabled = true }": {cty.NullVal(cty.DynamicPseudoType), cty.EmptyObjectVal},
	} {
		flavors(t, func(t *testing.T, flavor engine.Flavor) {
			r := newRun(t, engine.Options{Flavor: flavor})
			config := r.withModule("module \"m\" {\n  source = \"./m\"\n  "+repetition+"\n}\noutput \"o\" { value = [module.m] }", `resource "terraform_data" "b" {}`)
			plan, diags := r.engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
			if diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			value := want.openTofu
			if flavor == engine.Terraform {
				value = want.terraform
			}
			if value = cty.TupleVal([]cty.Value{value}); len(plan.Outputs) != 1 || !plan.Outputs[0].After.RawEquals(value) {
				t.Errorf("%q: the planned outputs are %+v, want %#v", repetition, plan.Outputs, value)
			}
		})
	}
}

// TestModuleDependsOn checks that the state records the dependencies of a module for the
// objects in it, so that they are destroyed before these dependencies.
func TestModuleDependsOn(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	config := r.withModule(`
resource "terraform_data" "a" {}
module "m" {
  source     = "./m"
  count      = 2
  depends_on = [terraform_data.a]
}
module "after" {
  source     = "./m"
  depends_on = [module.m]
}
`, `resource "terraform_data" "b" {}`)
	r.applyConfig(config, engine.PlanOptions{})
	for addr, want := range map[string]string{
		"module.m[1].terraform_data.b":  "terraform_data.a",
		"module.after.terraform_data.b": "module.m.terraform_data.b terraform_data.a",
	} {
		var got []string
		for _, dependency := range r.state.ResourceInstance(mustInstance(t, addr)).Current.Dependencies {
			got = append(got, dependency.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s depends on %v, want %s", addr, got, want)
		}
	}
}

// TestPassedProviderOfOrphan checks that an object without configuration is destroyed with the
// provider configuration that replaces the one of its module.
func TestPassedProviderOfOrphan(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, notebook := demoRun(t, flavor)
		page := filepath.Join(notebook, "page", "first.json")
		for _, step := range []struct{ call, module, actions string }{
			{"", r.before + "resource \"demo_page\" \"it\" {\n  name = \"first\"\n  text = \"hello\"\n}\n", "module.m.demo_page.it Create"},
			{"providers = { demo = demo }", "terraform {\n  required_providers {\n    demo = { source = \"hashicorp/demo\" }\n  }\n}\n", "module.m.demo_page.it Delete"},
		} {
			config := r.withModule(r.before+"module \"m\" {\n  source = \"./m\"\n  "+step.call+"\n}\n", step.module)
			plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
			if diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			if got := actions(plan); got != step.actions {
				t.Errorf("planned %s, want %s", got, step.actions)
			}
			if r.state, diags = r.engine.Apply(t.Context(), config, plan); diags.HasErrors() {
				t.Fatal(diags.Error())
			}
		}
		if _, err := os.Stat(page); !os.IsNotExist(err) || !r.state.Empty() {
			t.Errorf("Stat of the page returned the error %v, and the state is %s; want no page and an empty state", err, r.state)
		}
	})
}

// TestWithoutProviders runs a configuration that has only values.
func TestWithoutProviders(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	const config = "variable \"v\" { default = 2 }\nlocals { twice = var.v * 2 }\noutput \"v\" { value = local.twice }\n"
	if plan := r.apply(config, engine.PlanOptions{}); len(plan.Changes) != 0 || plan.Empty() {
		t.Errorf("planned %s, want only a change of the output", actions(plan))
	}
	if got := r.output("v"); !got.RawEquals(cty.NumberIntVal(4)) {
		t.Errorf("the output is %#v, want 4", got)
	}
	r.empty(config)
	r.apply(config, engine.PlanOptions{Mode: plans.DestroyMode})
	if !r.state.Empty() {
		t.Errorf("the state after the destroy is %s, want an empty state", r.state)
	}
}

// TestRootOfOpenTofu checks that a reference to tofu.workspace is valid only for OpenTofu.
func TestRootOfOpenTofu(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		want := ""
		if flavor == engine.Terraform {
			want = "Reference to undeclared resource"
		}
		r, got := newRun(t, engine.Options{Flavor: flavor}), ""
		_, diags := r.engine.Plan(t.Context(), r.load(`output "w" { value = tofu.workspace }`), nil, engine.PlanOptions{})
		if len(diags) > 0 {
			got = diags[0].Summary
		}
		if got != want {
			t.Errorf("the plan has the error %q, want %q", got, want)
		}
	})
}

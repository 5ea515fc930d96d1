package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// TestMoves checks that each statement is executed once, in the right order, and checks the
// messages about moves that cannot be made.
func TestMoves(t *testing.T) {
	t.Parallel()
	moved := func(pairs ...string) string {
		text := ""
		for _, pair := range pairs {
			from, to, _ := strings.Cut(pair, " ")
			text += "moved {\n  from = terraform_data." + from + "\n  to = terraform_data." + to + "\n}\n"
		}
		return text
	}
	for name, c := range map[string]struct {
		before, after string
		actions       string
		summaries     string
	}{
		"chain in reverse order": {
			before: `resource "terraform_data" "a" {}`,
			after:  `resource "terraform_data" "d" {}` + "\n" + moved("c d", "b c", "a b"),
		},
		"chain to an address with an object": {
			before:  "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {}",
			after:   `resource "terraform_data" "c" {}` + "\n" + moved("a b", "b c"),
			actions: "terraform_data.a Delete", summaries: "Unresolved resource instance address changes",
		},
		"block with count added, moved to the block": {
			before:  `resource "terraform_data" "a" {}`,
			after:   `resource "terraform_data" "b" { count = 1 }` + "\n" + moved("a b"),
			actions: "terraform_data.b Delete, terraform_data.b[0] Create",
		},
		"block with count added, moved to an instance": {
			before: `resource "terraform_data" "a" {}`,
			after:  `resource "terraform_data" "b" { count = 1 }` + "\n" + moved("a b[0]"),
		},
		"instances to other keys": {
			before: `resource "terraform_data" "a" { count = 2 }`,
			after:  `resource "terraform_data" "a" { for_each = toset(["x", "y"]) }` + "\n" + moved(`a[0] a["x"]`, `a[1] a["y"]`),
		},
		"cycle": {
			before: `resource "terraform_data" "a" {}`,
			after:  moved("a b", "b a"), summaries: "Cyclic dependency in move statements",
		},
		"instance that is still declared": {
			before:    `resource "terraform_data" "a" { count = 2 }`,
			after:     "resource \"terraform_data\" \"a\" { count = 2 }\nresource \"terraform_data\" \"b\" {}\n" + moved("a[1] b"),
			summaries: "Moved object still exists",
		},
		"instance that is still declared, to an address with an object": {
			before:    `resource "terraform_data" "a" { count = 2 }`,
			after:     `resource "terraform_data" "a" { count = 2 }` + "\n" + moved("a[0] a[1]"),
			summaries: "Moved object still exists",
		},
		"to a block that has another instance": {
			before:  "resource \"terraform_data\" \"a\" { count = 1 }\nresource \"terraform_data\" \"b\" { for_each = toset([\"x\"]) }",
			after:   `resource "terraform_data" "b" { count = 1 }` + "\n" + moved("a b"),
			actions: `terraform_data.a[0] Delete, terraform_data.b["x"] Delete, terraform_data.b[0] Create`, summaries: "Unresolved resource instance address changes",
		},
		"to an address with an object, and another error": {
			before:  "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {}",
			after:   "resource \"terraform_data\" \"b\" {}\noutput \"bad\" { value = tonumber(\"x\") }\n" + moved("a b"),
			actions: "terraform_data.a Delete", summaries: "Invalid function argument",
		},
		"to the same address": {
			before: `resource "terraform_data" "a" {}`,
			after:  `resource "terraform_data" "a" {}` + "\n" + moved("a a"), summaries: "Redundant move statement",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, engine.Options{})
			r.apply(c.before, engine.PlanOptions{})
			plan, diags := r.engine.Plan(t.Context(), r.load(c.after), r.state, engine.PlanOptions{})
			summaries := ""
			for _, d := range diags {
				summaries += d.Summary
			}
			if got := actions(plan); got != c.actions || summaries != c.summaries {
				t.Errorf("planned %q with the messages %q\nwant    %q with the messages %q", got, summaries, c.actions, c.summaries)
			}
			if c.actions == "" && c.summaries == "" && plan.Empty() {
				t.Error("no object was moved, want a move")
			}
		})
	}
}

// TestMoveInAndOutOfModule checks that a statement in a module, which is about all its
// instances, precedes a statement of the root module about one of them.
func TestMoveInAndOutOfModule(t *testing.T) {
	t.Parallel()
	const call = "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"a\"])\n}\n"
	r := newRun(t, engine.Options{})
	r.applyConfig(r.withModule(call, `resource "terraform_data" "a" {}`), engine.PlanOptions{})
	config := r.withModule(call+"resource \"terraform_data\" \"c\" {}\nmoved {\n  from = module.m[\"a\"].terraform_data.b\n  to = terraform_data.c\n}",
		"moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}")
	plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
	if diags.HasErrors() || actions(plan) != "" || plan.Empty() {
		t.Errorf("planned %q with the errors %q, want a move", actions(plan), diags.Error())
	}
}

// TestImpliedModuleMoves checks which objects of a module move if its call gets or loses count, or
// gets for_each or enabled.
func TestImpliedModuleMoves(t *testing.T) {
	t.Parallel()
	call := func(repetition string) string {
		return "module \"m\" {\n  source = \"./m\"\n  " + repetition + "\n}\n"
	}
	const object = `resource "terraform_data" "a" {}`
	for name, c := range map[string]struct {
		before, after             string
		moduleBefore, moduleAfter string
		openTofu, terraform       string
	}{
		"count added": {
			before: call(""), after: call("count = 2"), moduleBefore: object, moduleAfter: object,
			openTofu:  "module.m[1].terraform_data.a Create",
			terraform: "module.m.terraform_data.a Delete, module.m[0].terraform_data.a Create, module.m[1].terraform_data.a Create",
		},
		"count removed": {
			before: call("count = 2"), after: call(""), moduleBefore: object, moduleAfter: object,
			openTofu:  "module.m[1].terraform_data.a Delete",
			terraform: "module.m.terraform_data.a Create, module.m[0].terraform_data.a Delete, module.m[1].terraform_data.a Delete",
		},
		"count replaced by enabled": {
			before: call("count = 1"), after: call("lifecycle { enabled = true }"), moduleBefore: object, moduleAfter: object,
			terraform: "module.m.terraform_data.a Create, module.m[0].terraform_data.a Delete",
		},
		"for_each added": {
			before: call(""), after: call(`for_each = toset(["x"])`), moduleBefore: object, moduleAfter: object,
			openTofu:  `module.m.terraform_data.a Delete, module.m["x"].terraform_data.a Create`,
			terraform: `module.m.terraform_data.a Delete, module.m["x"].terraform_data.a Create`,
		},
		"count added to the module, and removed in it": {
			before: call(""), after: call("count = 1"), moduleBefore: `resource "terraform_data" "a" { count = 1 }`, moduleAfter: object,
			terraform: "module.m.terraform_data.a Delete, module.m[0].terraform_data.a Create",
		},
		"a statement about an object in the module": {
			before: call(""), after: call("count = 1"), moduleBefore: object,
			moduleAfter: "resource \"terraform_data\" \"b\" {}\nmoved {\n  from = terraform_data.a\n  to   = terraform_data.b\n}",
			openTofu:    "module.m.terraform_data.b Delete, module.m[0].terraform_data.b Create",
			terraform:   "module.m.terraform_data.b Delete, module.m[0].terraform_data.b Create",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flavors(t, func(t *testing.T, flavor engine.Flavor) {
				r := newRun(t, engine.Options{Flavor: flavor})
				r.applyConfig(r.withModule(c.before, c.moduleBefore), engine.PlanOptions{})
				plan, diags := r.engine.Plan(t.Context(), r.withModule(c.after, c.moduleAfter), r.state, engine.PlanOptions{})
				want := c.openTofu
				if flavor == engine.Terraform {
					want = c.terraform
				}
				if got := actions(plan); got != want || diags.HasErrors() {
					t.Errorf("planned %q with the errors %q, want %q", got, diags.Error(), want)
				}
			})
		})
	}
}

// TestMoveToTakenModule checks that the objects of a module do not move to a module that has other
// objects.
func TestMoveToTakenModule(t *testing.T) {
	t.Parallel()
	load := func(root string) *configs.Config {
		config, diags := configs.Load(configs.Files{
			"main.tf":      []byte(root),
			"a/main.tf":    []byte(`resource "terraform_data" "a" {}`),
			"b/main.tf":    []byte(`resource "terraform_data" "b" {}`),
			"both/main.tf": []byte("resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {}\n"),
		}, ".", configs.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return config
	}
	call := func(name, source string) string {
		return "module \"" + name + "\" {\n  source = \"./" + source + "\"\n}\n"
	}
	prior := load(call("m", "a") + call("n", "b"))
	config := load(call("n", "both") + "moved {\n  from = module.m\n  to   = module.n\n}\n")
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r := newRun(t, engine.Options{Flavor: flavor})
		r.applyConfig(prior, engine.PlanOptions{})
		plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
		if got, want := actions(plan), "module.m.terraform_data.a Delete, module.n.terraform_data.a Create"; got != want {
			t.Errorf("planned %q, want %q", got, want)
		}
		if len(diags) != 1 || diags[0].Summary != "Unresolved resource instance address changes" {
			t.Errorf("the plan has %d messages: %s; want a warning about the move", len(diags), diags.Error())
		}
	})
}

// TestMoveInRekeyedModule checks that a statement about an object at its old address in a module
// precedes the statement that changes the key of the module, although the latter is
// earlier in the configuration, and that a statement about the new address of the object follows.
func TestMoveInRekeyedModule(t *testing.T) {
	t.Parallel()
	const rekeyed = "module \"m\" {\n  source = \"./m\"\n  count  = 1\n}\nmoved {\n  from = module.m\n  to   = module.m[0]\n}\n"
	for _, module := range []string{"module.m", "module.m[0]"} {
		flavors(t, func(t *testing.T, flavor engine.Flavor) {
			r := newRun(t, engine.Options{Flavor: flavor})
			r.applyConfig(r.withModule("module \"m\" {\n  source = \"./m\"\n}\n", `resource "terraform_data" "a" {}`), engine.PlanOptions{})
			config := r.withModule(rekeyed+"moved {\n  from = "+module+".terraform_data.a\n  to   = "+module+".terraform_data.b\n}\n", `resource "terraform_data" "b" {}`)
			plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
			if diags.HasErrors() || actions(plan) != "" || plan.Empty() {
				t.Errorf("the statement about %s: planned %q with the errors %q, want a move", module, actions(plan), diags.Error())
			}
		})
	}
}

// TestModuleStillDeclared checks that a module cannot be moved with all its instances while its call
// is still in the configuration.
func TestModuleStillDeclared(t *testing.T) {
	t.Parallel()
	for _, repetition := range []string{"", "count = 1", `for_each = toset(["x"])`, "lifecycle { enabled = false }"} {
		config, diags := configs.Load(configs.Files{
			"main.tf":   []byte("module \"m\" {\n  source = \"./m\"\n  " + repetition + "\n}\nmodule \"n\" {\n  source = \"./m\"\n}\nmoved {\n  from = module.m\n  to   = module.n\n}\n"),
			"m/main.tf": nil,
		}, ".", configs.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		flavors(t, func(t *testing.T, flavor engine.Flavor) {
			_, diags := newRun(t, engine.Options{Flavor: flavor}).engine.Plan(t.Context(), config, nil, engine.PlanOptions{})
			if len(diags) != 1 || diags[0].Summary != "Moved object still exists" {
				t.Errorf("%s: the plan has the errors %s, want the error of the moved block", repetition, diags.Error())
			}
		})
	}
}

// nullProvider has the resource type null_resource.
type nullProvider struct{ provider.Unimplemented }

func (nullProvider) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider: provider.Schema{Body: &configschema.Block{}},
		ResourceTypes: map[string]provider.Schema{"null_resource": {Body: &configschema.Block{Attributes: map[string]*configschema.Attribute{
			"id":       {Type: cty.String, Computed: true},
			"triggers": {Type: cty.Map(cty.String), Optional: true},
		}}}},
	}
}

// TestMoveToTerraformData checks that a null_resource can be moved to a terraform_data, even if
// another block moves the terraform_data to another address.
func TestMoveToTerraformData(t *testing.T) {
	t.Parallel()
	const chain = "moved {\n  from = null_resource.a\n  to = terraform_data.a\n}\nmoved {\n  from = terraform_data.a\n  to = terraform_data.b\n}"
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		for _, c := range []struct{ attributes, triggers, moved string }{
			{`{"id":"7","triggers":{"a":"x"}}`, "triggers_replace = { a = \"x\" }", "moved {\n  from = null_resource.a\n  to = terraform_data.b\n}"},
			{`{"id":"7","triggers":null}`, "", "moved {\n  from = null_resource.a\n  to = terraform_data.b\n}"},
			{`{"id":"7","triggers":{"a":"x"}}`, "triggers_replace = { a = \"x\" }", chain},
		} {
			empty, _ := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
			null := empty.ProviderFor("null")
			r := newRun(t, engine.Options{Flavor: flavor, Providers: map[addrs.Provider]engine.Factory{
				null: func(context.Context) (provider.Interface, error) { return nullProvider{}, nil },
			}})
			src := &states.ResourceInstanceObjectSrc{AttrsJSON: []byte(c.attributes), Status: states.ObjectReady}
			r.state.SyncWrapper().SetResourceInstanceCurrent(mustInstance(t, "null_resource.a"), src, addrs.AbsProviderConfig{Provider: null})
			plan := r.plan("resource \"terraform_data\" \"b\" {\n  "+c.triggers+"\n}\n"+c.moved, engine.PlanOptions{})
			if len(plan.Changes) != 1 || plan.Changes[0].Action != plans.NoOp || !plan.Changes[0].Moved() {
				t.Fatalf("planned %q for %s with %s, want a move", actions(plan), c.attributes, c.moved)
			}
			if id := plan.Changes[0].After.GetAttr("id"); !id.RawEquals(cty.StringVal("7")) {
				t.Errorf("the planned ID is %#v, want 7", id)
			}
		}
	})
}

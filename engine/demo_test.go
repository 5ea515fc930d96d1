package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// demoRun returns a run with the demo provider, and the path of its notebook.
func demoRun(t *testing.T, flavor engine.Flavor) (*run, string) {
	t.Helper()
	notebook := filepath.Join(t.TempDir(), "notebook")
	empty, _ := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	r := newRun(t, engine.Options{Flavor: flavor, Providers: map[addrs.Provider]engine.Factory{
		empty.ProviderFor("demo"): func(context.Context) (provider.Interface, error) {
			p, err := demo.New()
			if err != nil {
				return nil, err
			}
			return guard.Wrap(p), nil
		},
	}})
	r.before = fmt.Sprintf("provider \"demo\" {\n  directory   = %q\n  owner    = \"ada\"\n  password = \"secret\"\n}\n", notebook)
	return r, notebook
}

// richPage returns a configuration of a demo page with the text, and with nested objects and blocks.
func richPage(t *testing.T, text string) string {
	t.Helper()
	raw, err := os.ReadFile("../internal/demo/testdata/page.tf.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(string(raw), text)
}

func flavors(t *testing.T, f func(t *testing.T, flavor engine.Flavor)) {
	for _, flavor := range []engine.Flavor{engine.OpenTofu, engine.Terraform} {
		t.Run(flavor.String(), func(t *testing.T) {
			t.Parallel()
			f(t, flavor)
		})
	}
}

// TestDemoLifecycle creates, reads, updates and destroys objects of the demo provider.
func TestDemoLifecycle(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, notebook := demoRun(t, flavor)
		page := richPage(t, "hello")
		r.apply(page, engine.PlanOptions{})
		if left, _ := filepath.Glob(filepath.Join(notebook, "session", "*.json")); len(left) > 0 {
			t.Errorf("sessions were not closed: %v", left)
		}
		r.empty(page)

		t.Log("equivalent values are not planned as changes")
		equivalent := strings.NewReplacer(`"600"`, `"0600"`, `jsonencode({ b = [true], a = 1 })`, `"{ \"a\" : 1, \"b\" : [ true ] }"`, `"First"`, `"FIRST"`, `en-GB`, `en-gb`)
		r.empty(equivalent.Replace(page))

		t.Log("drift is detected and reverted")
		path := filepath.Join(notebook, "page", "first.json")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(raw), `"hello"`, `"scribble"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := r.apply(page, engine.PlanOptions{})
		if got := actions(plan); got != "demo_page.first Update" || len(plan.Drift) != 1 {
			t.Errorf("planned %s, with drift of %d objects, want an update of demo_page.first and drift of 1 object", got, len(plan.Drift))
		}
		r.empty(page)
		r.apply(page, engine.PlanOptions{Mode: plans.DestroyMode})
		if _, err := os.Stat(path); !os.IsNotExist(err) || !r.state.Empty() {
			t.Errorf("after the destroy, Stat of the page returned the error %v, and the state is %s; want no page and an empty state", err, r.state)
		}
	})
}

// TestDeferredData checks that the refreshed state of a plan has no data that the apply reads.
func TestDeferredData(t *testing.T) {
	t.Parallel()
	const text = `
resource "demo_page" "it" {
  name = "it"
  text = %q
}
data "demo_page" "it" {
  name       = "it"
  depends_on = [demo_page.it]
}
`
	r, _ := demoRun(t, engine.OpenTofu)
	r.apply(fmt.Sprintf(text, "one"), engine.PlanOptions{})
	addr := mustInstance(t, "data.demo_page.it")
	if r.state.ResourceInstance(addr) == nil {
		t.Fatalf("data.demo_page.it is not in the state: %s", r.state)
	}
	plan := r.plan(fmt.Sprintf(text, "two"), engine.PlanOptions{})
	if got, want := actions(plan), "data.demo_page.it Read, demo_page.it Update"; got != want {
		t.Errorf("planned %s, want %s", got, want)
	}
	if plan.PriorState.ResourceInstance(addr) != nil {
		t.Errorf("data.demo_page.it is in the refreshed state, want no such object: %s", plan.PriorState)
	}
	r.apply(fmt.Sprintf(text, "two"), engine.PlanOptions{})
	if r.state.ResourceInstance(addr) == nil {
		t.Errorf("data.demo_page.it is not in the state after the apply: %s", r.state)
	}
}

// TestRefreshOnlyDeferredData checks that a refresh-only run removes from the state the data that
// depends on an object that is gone, because only the apply of a normal plan could read the data.
func TestRefreshOnlyDeferredData(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, notebook := demoRun(t, flavor)
		const config = `
resource "demo_page" "it" {
  name = "it"
  text = "hello"
}
data "demo_page" "it" {
  name = demo_page.it.name
}
output "text" { value = data.demo_page.it.text }
`
		r.apply(config, engine.PlanOptions{})
		if err := os.Remove(filepath.Join(notebook, "page", "it.json")); err != nil {
			t.Fatal(err)
		}
		r.apply(config, engine.PlanOptions{Mode: plans.RefreshOnlyMode})
		if len(r.state.RootModule().Resources) != 0 {
			t.Errorf("the state has objects, want no objects: %s", r.state)
		}
		if got := r.output("text"); !got.IsNull() {
			t.Errorf("the output text is %#v, want null", got)
		}
	})
}

// TestDataAndFunctions checks data sources, function calls and reads planned for the
// apply.
func TestDataAndFunctions(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, _ := demoRun(t, flavor)
		const config = `
terraform {
  provider_meta "demo" {
    module = "tests"
  }
}
resource "demo_page" "it" {
  name     = "it"
  text     = "hello"
  sections = [{ heading = "One" }]
}
data "demo_page" "it" {
  name       = demo_page.it.name
  excerpt    = 3
  depends_on = [demo_page.it]
}
output "read" {
  value = data.demo_page.it
}
output "called" {
  value = join(",", [
    provider::demo::shout("a"), provider::demo::join("-", "a", "b"), provider::demo::join("-"),
    provider::demo::certain("x"), join("", provider::demo::outline(data.demo_page.it.sections)),
  ])
}
`
		plan := r.apply(config, engine.PlanOptions{})
		if got, want := actions(plan), "data.demo_page.it Read, demo_page.it Create"; got != want {
			t.Errorf("planned %s, want %s", got, want)
		}
		read := r.output("read").AsValueMap()
		if read["text"].AsString() != "hel" || read["module"].AsString() != "tests" {
			t.Errorf("the data source is %#v, want the text \"hel\" and the module \"tests\"", read)
		}
		if got, want := r.output("called").AsString(), "A,a-b,,true,  One"; got != want {
			t.Errorf("the output called is %q, want %q", got, want)
		}
		r.empty(config)
	})
}

// TestImport checks import by ID and by identity, generated configuration, and a move from
// another type.
func TestImport(t *testing.T) {
	t.Parallel()
	flavors(t, func(t *testing.T, flavor engine.Flavor) {
		r, _ := demoRun(t, flavor)
		const page = "resource \"demo_page\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n"
		r.apply(page, engine.PlanOptions{})
		for _, by := range []string{`id = "it"`, `identity = { name = "it" }`} {
			r.state = states.NewState()
			importing := page + "import {\n  to = demo_page.it\n  " + by + "\n}\n"
			plan := r.apply(importing, engine.PlanOptions{})
			if len(plan.Changes) != 1 || plan.Changes[0].Importing == nil {
				t.Errorf("%s: planned %d changes, want one change that imports an object", by, len(plan.Changes))
			}
			r.empty(page)
			r.empty(importing)
		}
		r.state = states.NewState()
		config := r.load("import {\n  to = demo_page.it\n  id = \"it\"\n}\n")
		if _, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{}); !strings.Contains(diags.Error(), "Configuration for import target does not exist") {
			t.Errorf("an import without configuration has the errors %s, want an error about the missing configuration", diags.Error())
		}
		generated, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{GenerateConfig: true})
		if diags.HasErrors() || len(generated.Changes) != 1 || generated.Changes[0].Action != plans.NoOp {
			t.Fatalf("an import with generated configuration planned %q, want one change without an action; errors:\n%s", actions(generated), diags.Error())
		}
		r.apply(generated.Changes[0].GeneratedConfig+"import {\n  to = demo_page.it\n  id = \"it\"\n}\n", engine.PlanOptions{})
		r.empty(page)
		r.apply(page, engine.PlanOptions{Mode: plans.DestroyMode})
		r.apply("resource \"demo_sheet\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n", engine.PlanOptions{})
		plan := r.apply(page+"moved {\n  from = demo_sheet.it\n  to   = demo_page.it\n}\n", engine.PlanOptions{})
		if got := actions(plan); got != "" {
			t.Errorf("planned %s for a move, want no change", got)
		}
		r.empty(page)
	})
}

func TestModules(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	files := configs.Files{
		"main.tf": []byte(`
module "each" {
  source   = "./child"
  for_each = toset(["a", "b"])
  name     = each.key
  depends_on = [terraform_data.before]
}
module "counted" {
  source = "./child"
  count  = 2
  name   = module.each["a"].name
}
resource "terraform_data" "before" {}
output "names" { value = [for k, m in module.each : m.name] }
output "second" { value = module.counted[1].name }
`),
		"child/main.tf": []byte(`
variable "name" {
  type = string
}
resource "terraform_data" "it" { input = "${var.name}!" }
module "deeper" {
  source = "./deeper"
  of     = terraform_data.it.output
}
output "name" { value = module.deeper.of }
`),
		"child/deeper/main.tf": []byte(`
variable "of" {}
resource "terraform_data" "it" { input = upper(var.of) }
output "of" { value = terraform_data.it.output }
`),
	}
	config, diags := configs.Load(files, ".", configs.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if diags := r.engine.Validate(t.Context(), config); diags.HasErrors() {
		t.Fatal(diags.Error())
	}
	for i := range 2 {
		plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
		if diags.HasErrors() {
			t.Fatal(diags.Error())
		}
		if i == 1 && !plan.Empty() {
			t.Errorf("the second plan is not empty: %s", actions(plan))
		}
		if r.state, diags = r.engine.Apply(t.Context(), config, plan); diags.HasErrors() {
			t.Fatal(diags.Error())
		}
	}
	if got := r.output("second"); !got.RawEquals(cty.StringVal("A!!")) {
		t.Errorf("the output second is %#v, want \"A!!\"", got)
	}
	if got := r.state.ResourceInstance(mustInstance(t, `module.each["b"].module.deeper.terraform_data.it`)); got == nil {
		t.Errorf("the object of the nested module is not in the state:\n%s", r.state)
	}
}

func mustInstance(t *testing.T, text string) addrs.AbsResourceInstance {
	t.Helper()
	addr, err := addrs.ParseAbsResourceInstanceStr(text)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

package null_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/null"
)

// factories returns a factory of one provider for a whole test, so that ids are unique.
func factories() map[string]func() (*schema.Provider, error) {
	p := null.Provider()
	return map[string]func() (*schema.Provider, error){"null": func() (*schema.Provider, error) { return p, nil }}
}

func TestProviderIsSound(t *testing.T) {
	t.Parallel()
	if err := null.Provider().InternalValidate(); err != nil {
		t.Error(err)
	}
}

func TestResource(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{
					Config: `resource "null_resource" "test" {}`,
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttrSet("null_resource.test", "id"),
						resource.TestCheckNoResourceAttr("null_resource.test", "triggers.%"),
					),
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("null_resource.test", tfjsonpath.New("triggers"), knownvalue.Null())},
				},
				{Config: `resource "null_resource" "test" {}`, PlanOnly: true},
				{Config: `resource "null_resource" "test" {}`, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			},
		}
	})
}

// ids records the id of a resource in each step.
type ids []string

func (i *ids) add(address string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		r, ok := s.RootModule().Resources[address]
		if !ok || r.Primary == nil {
			return fmt.Errorf("%s is not in the state", address)
		}
		*i = append(*i, r.Primary.ID)
		return nil
	}
}

// changed returns an error if the last two ids are equal.
func (i *ids) changed(*terraform.State) error {
	if n := len(*i); n < 2 || (*i)[n-1] == (*i)[n-2] {
		return fmt.Errorf("the id did not change: %q", *i)
	}
	return nil
}

func TestResourceTriggers(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		var seen ids
		config := func(value string) string {
			return "resource \"null_resource\" \"test\" {\n  triggers = {\n    key = \"" + value + "\"\n    other = 1\n  }\n}\n"
		}
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{
					Config: config("one"),
					Check: resource.ComposeTestCheckFunc(seen.add("null_resource.test"),
						resource.TestCheckResourceAttr("null_resource.test", "triggers.%", "2"),
						resource.TestCheckResourceAttr("null_resource.test", "triggers.other", "1"),
					),
				},
				{
					Config: config("two"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("null_resource.test", plancheck.ResourceActionDestroyBeforeCreate),
						plancheck.ExpectUnknownValue("null_resource.test", tfjsonpath.New("id")),
					}},
					Check: resource.ComposeTestCheckFunc(seen.add("null_resource.test"), seen.changed),
				},
				{
					Taint:  []string{"null_resource.test"},
					Config: config("two"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("null_resource.test", plancheck.ResourceActionReplace),
					}},
					Check: resource.ComposeTestCheckFunc(seen.add("null_resource.test"), seen.changed),
				},
				{Config: config("two"), Destroy: true},
			},
		}
	})
}

// TestResourceTriggeredByAnother checks that an unknown trigger is planned as a change,
// and that dependents wait for the resource.
func TestResourceTriggeredByAnother(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(first string) string {
			return `
resource "null_resource" "first" {
  triggers = { v = "` + first + `" }
}
resource "null_resource" "second" {
  triggers = { first = null_resource.first.id }
  lifecycle { create_before_destroy = true }
}
resource "null_resource" "third" {
  depends_on = [null_resource.second]
  lifecycle { replace_triggered_by = [null_resource.second] }
}
`
		}
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{
					Config: config("a"),
					Check:  resource.TestCheckResourceAttrPair("null_resource.second", "triggers.first", "null_resource.first", "id"),
				},
				{
					Config: config("b"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("null_resource.first", plancheck.ResourceActionCreateBeforeDestroy),
						plancheck.ExpectUnknownValue("null_resource.second", tfjsonpath.New("triggers")),
						plancheck.ExpectResourceAction("null_resource.second", plancheck.ResourceActionCreateBeforeDestroy),
						plancheck.ExpectResourceAction("null_resource.third", plancheck.ResourceActionReplace),
					}},
					Check: resource.TestCheckResourceAttrPair("null_resource.second", "triggers.first", "null_resource.first", "id"),
				},
			},
		}
	})
}

func TestResourceCount(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(count string) string {
			return `
resource "null_resource" "n" {
  count    = ` + count + `
  triggers = { index = count.index, of = ` + count + ` > 0 }
}
output "ids" { value = null_resource.n[*].id }
`
		}
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{
					Config: config("3"),
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("null_resource.n.0", "triggers.index", "0"),
						resource.TestCheckResourceAttr("null_resource.n.2", "triggers.index", "2"),
						resource.TestCheckResourceAttr("null_resource.n.2", "triggers.of", "true"),
					),
				},
				{
					Config: config("1"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("null_resource.n[0]", plancheck.ResourceActionNoop),
						plancheck.ExpectResourceAction("null_resource.n[1]", plancheck.ResourceActionDestroy),
						plancheck.ExpectResourceAction("null_resource.n[2]", plancheck.ResourceActionDestroy),
					}},
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("ids", knownvalue.ListSizeExact(1))},
				},
			},
		}
	})
}

func TestResourceIsProtected(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(v, protected string) string {
			return "resource \"null_resource\" \"p\" {\n  triggers = { v = \"" + v + "\" }\n  lifecycle { prevent_destroy = " + protected + " }\n}\n"
		}
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{Config: config("a", "true")},
				{Config: config("b", "true"), ExpectError: regexp.MustCompile(`Instance cannot be destroyed|cannot be destroyed`)},
				{Config: config("b", "false"), Check: resource.TestCheckResourceAttr("null_resource.p", "triggers.v", "b")},
			},
		}
	})
}

func TestResourceIgnoresChanges(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(v, w string) string {
			return "resource \"null_resource\" \"i\" {\n  triggers = {\n    v = \"" + v + "\"\n    w = \"" + w + "\"\n  }\n  lifecycle { ignore_changes = [triggers[\"v\"]] }\n}\n"
		}
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{Config: config("a", "a")},
				{
					Config:           config("b", "a"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
					Check:            resource.TestCheckResourceAttr("null_resource.i", "triggers.v", "a"),
				},
				{
					Config:           config("b", "b"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("null_resource.i", plancheck.ResourceActionReplace)}},
					Check: resource.ComposeTestCheckFunc(
						// A new resource has all configured values: ignore_changes has no effect.
						resource.TestCheckResourceAttr("null_resource.i", "triggers.v", "b"),
						resource.TestCheckResourceAttr("null_resource.i", "triggers.w", "b"),
					),
				},
			},
		}
	})
}

func TestDataSource(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{
				{
					Config: `
data "null_data_source" "test" {
  inputs = {
    first  = "one"
    second = upper("two")
  }
}
`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("data.null_data_source.test", "outputs.%", "2"),
						resource.TestCheckResourceAttr("data.null_data_source.test", "outputs.first", "one"),
						resource.TestCheckResourceAttr("data.null_data_source.test", "outputs.second", "TWO"),
						resource.TestCheckResourceAttr("data.null_data_source.test", "has_computed_default", "default"),
						resource.TestCheckResourceAttrSet("data.null_data_source.test", "random"),
					),
				},
				{
					Config: "data \"null_data_source\" \"test\" {\n  has_computed_default = \"set\"\n}\n",
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr("data.null_data_source.test", "has_computed_default", "set"),
						resource.TestCheckNoResourceAttr("data.null_data_source.test", "outputs.first"),
					),
				},
			},
		}
	})
}

// TestDataSourceIsReadLate checks that a data source with unknown inputs is read during
// the apply.
func TestDataSourceIsReadLate(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: factories(),
			Steps: []resource.TestStep{{
				Config: `
resource "null_resource" "r" {}
data "null_data_source" "late" {
  inputs = { id = null_resource.r.id }
}
output "id" { value = data.null_data_source.late.outputs["id"] }
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("data.null_data_source.late", plancheck.ResourceActionRead),
					plancheck.ExpectUnknownOutputValue("id"),
				}},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttrPair("data.null_data_source.late", "outputs.id", "null_resource.r", "id"),
					func(s *terraform.State) error {
						if s.RootModule().Outputs["id"].Value != s.RootModule().Resources["null_resource.r"].Primary.ID {
							return errors.New("the output differs from the id")
						}
						return nil
					},
				),
			}},
		}
	})
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestModule uses resources in modules with variables.
func TestModule(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		dir := t.TempDir()
		write(t, dir, "modules/inner/main.tf", `
variable "names" {
  type = list(string)
  validation {
    condition     = length(var.names) > 0
    error_message = "Give at least one name."
  }
}
resource "null_resource" "each" {
  count    = length(var.names)
  triggers = { name = var.names[count.index] }
}
output "ids" { value = zipmap(var.names, null_resource.each[*].id) }
`)
		for step, names := range map[string]string{"1": `[]`, "2": `["b", "a"]`, "3": `["b"]`} {
			write(t, dir, step+"/main.tf", `
module "inner" {
  source = "`+dir+`/modules/inner"
  names  = `+names+`
}
output "names" { value = join(",", keys(module.inner.ids)) }
`)
		}
		write(t, dir, "4/main.tf", "")
		// terraform-plugin-testing installs modules for steps with their own providers
		// and directory.
		p := factories()
		return resource.TestCase{
			Steps: []resource.TestStep{
				{ProviderFactories: p, ConfigDirectory: config.StaticDirectory(dir + "/1"), ExpectError: regexp.MustCompile(`Give at least one name`)},
				{
					ProviderFactories: p, ConfigDirectory: config.StaticDirectory(dir + "/2"),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownOutputValue("names", knownvalue.StringExact("a,b")),
					},
				},
				{
					ProviderFactories: p, ConfigDirectory: config.StaticDirectory(dir + "/3"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("module.inner.null_resource.each[1]", plancheck.ResourceActionDestroy),
					}},
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("names", knownvalue.StringExact("b"))},
				},
				// The state that terraform-plugin-testing checks at the end must not
				// have modules.
				{ProviderFactories: p, ConfigDirectory: config.StaticDirectory(dir + "/4")},
			},
		}
	})
}

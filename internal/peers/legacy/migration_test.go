package legacy_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// both returns a configuration with resources of both SDKs.
func both(name string) string {
	return `
resource "legacy_alias" "name" {
  name = "` + name + `"
}
resource "legacy_server" "on" {
  name = legacy_alias.name.id
  zone = "north"
  size = "medium"
}
data "legacy_server" "of" {
  name = legacy_server.on.name
}
resource "legacy_alias" "size" {
  name = data.legacy_server.of.size
}
`
}

func steps() []resource.TestStep {
	return []resource.TestStep{
		{
			Config: both("a"),
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttrPair("legacy_server.on", "name", "legacy_alias.name", "id"),
				resource.TestCheckResourceAttr("legacy_alias.size", "token", "token of medium"),
			),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectSensitiveValue("legacy_alias.name", tfjsonpath.New("token"))},
		},
		{Config: both("a"), PlanOnly: true},
		{
			Config: both("b"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("legacy_alias.name", plancheck.ResourceActionReplace),
				plancheck.ExpectResourceAction("legacy_server.on", plancheck.ResourceActionReplace),
				plancheck.ExpectResourceAction("data.legacy_server.of", plancheck.ResourceActionRead),
				plancheck.ExpectUnknownValue("legacy_alias.size", tfjsonpath.New("name")),
			}},
			Check: resource.TestCheckResourceAttrPair("data.legacy_server.of", "name", "legacy_alias.name", "id"),
		},
		{ResourceName: "legacy_alias.name", ImportState: true, ImportStateVerify: true},
		{ResourceName: "legacy_server.on", ImportState: true, ImportStateVerify: true},
	}
}

func TestV5(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
				"legacy": func() (tfprotov5.ProviderServer, error) { return V5(t.Context(), cloud) },
			},
			Steps: steps(),
		}
	})
}

func TestV6(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
				"legacy": func() (tfplugin.ProviderServer, error) { return V6(t.Context(), cloud) },
			},
			Steps: steps(),
		}
	})
}

func TestDowngraded(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
				"legacy": func() (tfprotov5.ProviderServer, error) { return Downgraded(t.Context(), cloud) },
			},
			Steps: steps(),
		}
	})
}

// TestMigration checks that existing resources do not change when a team migrates from V5
// to V6.
func TestMigration(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			Steps: []resource.TestStep{
				{
					ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
						"legacy": func() (tfprotov5.ProviderServer, error) { return V5(t.Context(), cloud) },
					},
					Config: both("a"),
				},
				{
					ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
						"legacy": func() (tfplugin.ProviderServer, error) { return V6(t.Context(), cloud) },
					},
					Config:           both("a"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				},
			},
		}
	})
}

package muxed_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/muxed"
)

// both returns a configuration with resources of both SDKs.
func both(keeper string) string {
	return `
terraform {
  required_providers {
    both = { source = "hashicorp/both" }
  }
}
resource "random_id" "id" {
  provider    = both
  byte_length = 2
  keepers     = { v = "` + keeper + `" }
}
resource "null_resource" "on" {
  provider = both
  triggers = { id = random_id.id.hex }
}
data "null_data_source" "of" {
  provider = both
  inputs   = null_resource.on.triggers
}
resource "random_password" "p" {
  provider = both
  length   = length(data.null_data_source.of.outputs["id"])
}
`
}

func steps() []resource.TestStep {
	return []resource.TestStep{
		{
			Config: both("a"),
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttrPair("null_resource.on", "triggers.id", "random_id.id", "hex"),
				resource.TestMatchResourceAttr("random_password.p", "result", regexp.MustCompile(`^.{4}$`)),
			),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectSensitiveValue("random_password.p", tfjsonpath.New("result"))},
		},
		{Config: both("a"), PlanOnly: true},
		{
			Config: both("b"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("random_id.id", plancheck.ResourceActionReplace),
				plancheck.ExpectResourceAction("null_resource.on", plancheck.ResourceActionReplace),
				plancheck.ExpectResourceAction("data.null_data_source.of", plancheck.ResourceActionRead),
				plancheck.ExpectUnknownValue("random_password.p", tfjsonpath.New("length")),
			}},
			Check: resource.TestCheckResourceAttrPair("data.null_data_source.of", "outputs.id", "random_id.id", "hex"),
		},
		{ResourceName: "random_id.id", ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"keepers"}},
	}
}

func TestV5(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
				"both": func() (tfprotov5.ProviderServer, error) { return muxed.V5(t.Context()) },
			},
			Steps: steps(),
		}
	})
}

func TestV6(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
				"both": func() (tfplugin.ProviderServer, error) { return muxed.V6(t.Context()) },
			},
			Steps: steps(),
		}
	})
}

func TestDowngraded(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
				"both": func() (tfprotov5.ProviderServer, error) { return muxed.Downgraded(t.Context()) },
			},
			Steps: steps(),
		}
	})
}

// TestMigration checks that existing resources do not change when a team migrates from V5
// to V6.
func TestMigration(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			Steps: []resource.TestStep{
				{
					ProtoV5ProviderFactories: map[string]func() (tfprotov5.ProviderServer, error){
						"both": func() (tfprotov5.ProviderServer, error) { return muxed.V5(t.Context()) },
					},
					Config: both("a"),
				},
				{
					ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
						"both": func() (tfplugin.ProviderServer, error) { return muxed.V6(t.Context()) },
					},
					Config:           both("a"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				},
			},
		}
	})
}

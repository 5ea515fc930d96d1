package random_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	tfprotov5 "github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/random"
)

func TestPet(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `resource "random_pet" "it" {}`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestMatchResourceAttr("random_pet.it", "id", regexp.MustCompile(`^[a-z]+-[a-z]+$`)),
						resource.TestCheckResourceAttr("random_pet.it", "length", "2"),
						resource.TestCheckResourceAttr("random_pet.it", "separator", "-"),
					),
				},
				{
					Config: `
resource "random_pet" "it" {
  length    = 4
  prefix    = "consul"
  separator = "_"
}
`,
					ConfigPlanChecks: planned("random_pet.it", plancheck.ResourceActionReplace),
					Check:            resource.TestMatchResourceAttr("random_pet.it", "id", regexp.MustCompile(`^consul_[a-z]+_[a-z]+_[a-z]+_[a-z]+$`)),
				},
				{Config: `resource "random_pet" "it" {}`, ResourceName: "random_pet.it", ImportState: true, ImportStateId: "a-b", ExpectError: regexp.MustCompile(`(?s)Resource Import Not Implemented`)},
			},
		}
	})
}

// TestPetForEach creates names with for_each, and moves them when the set changes.
func TestPetForEach(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(names string) string {
			return `
locals {
  names = toset(` + names + `)
}
resource "random_pet" "of" {
  for_each = local.names
  prefix   = each.key
  keepers  = { name = each.value }
}
output "pets" { value = { for k, p in random_pet.of : k => split(p.separator, p.id)[0] } }
`
		}
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{
					Config: config(`["anna", "bert"]`),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownOutputValue("pets", knownvalue.MapExact(map[string]knownvalue.Check{
							"anna": knownvalue.StringExact("anna"), "bert": knownvalue.StringExact("bert"),
						})),
					},
				},
				{
					Config: config(`["bert", "carl"]`),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(`random_pet.of["anna"]`, plancheck.ResourceActionDestroy),
						plancheck.ExpectResourceAction(`random_pet.of["bert"]`, plancheck.ResourceActionNoop),
						plancheck.ExpectResourceAction(`random_pet.of["carl"]`, plancheck.ResourceActionCreate),
					}},
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(`random_pet.of["carl"]`, tfjsonpath.New("id"), knownvalue.StringRegexp(regexp.MustCompile(`^carl-`))),
						statecheck.ExpectKnownValue(`random_pet.of["bert"]`, tfjsonpath.New("keepers").AtMapKey("name"), knownvalue.StringExact("bert")),
					},
				},
				// The state that terraform-plugin-testing checks at the end must not
				// have keys.
				{
					Config:            config(`[]`),
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("pets", knownvalue.MapSizeExact(0))},
				},
			},
		}
	})
}

func TestShuffle(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(rest string) string {
			return "resource \"random_shuffle\" \"all\" {\n  input = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n  seed = \"-\"\n" + rest + "\n}\n"
		}
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: config(""),
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("random_shuffle.all", "result.#", "5"),
						resource.TestCheckTypeSetElemAttr("random_shuffle.all", "result.*", "c"),
						resource.TestMatchResourceAttr("random_shuffle.all", "result.0", regexp.MustCompile(`^[a-e]$`)),
						resource.TestCheckResourceAttr("random_shuffle.all", "id", "-"),
					),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("random_shuffle.all", tfjsonpath.New("result"), knownvalue.ListSizeExact(5)),
					},
				},
				{
					Config:           config("result_count = 12"),
					ConfigPlanChecks: planned("random_shuffle.all", plancheck.ResourceActionReplace),
					Check:            resource.TestCheckResourceAttr("random_shuffle.all", "result.#", "12"),
				},
				{Config: config("result_count = 0"), Check: resource.TestCheckResourceAttr("random_shuffle.all", "result.#", "0")},
			},
		}
	})
}

func TestShuffleOfNothing(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{{
				Config: `resource "random_shuffle" "none" { input = [] }`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("random_shuffle.none", tfjsonpath.New("result"), knownvalue.ListExact(nil)),
				},
			}},
		}
	})
}

func TestUUID(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `resource "random_uuid" "basic" {}`,
					Check:  resource.TestMatchResourceAttr("random_uuid.basic", "result", regexp.MustCompile(`^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$`)),
				},
				{ResourceName: "random_uuid.basic", ImportState: true, ImportStateVerify: true},
				{ResourceName: "random_uuid.basic", ImportState: true, ImportStateId: "not-a-uuid", ExpectError: regexp.MustCompile(`"not-a-uuid"\s+is\s+not\s+a\s+UUID`)},
			},
		}
	})
}

// TestUUIDImportBlock checks that the plan of an import block has no change.
func TestUUIDImportBlock(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		const known = "6b0f8e7c-2d7b-4c52-9a55-0a1b2c3d4e5f"
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{
					Config: `
import {
  to = random_uuid.taken
  id = "` + known + `"
}
resource "random_uuid" "taken" {}
`,
					ConfigPlanChecks: planned("random_uuid.taken", plancheck.ResourceActionNoop),
					Check:            resource.TestCheckResourceAttr("random_uuid.taken", "result", known),
				},
				{
					Config:          `resource "random_uuid" "taken" {}`,
					ResourceName:    "random_uuid.taken",
					ImportState:     true,
					ImportStateKind: resource.ImportBlockWithID,
				},
			},
		}
	})
}

// TestUUIDMovesAndIsForgotten checks moved and removed blocks.
func TestUUIDMovesAndIsForgotten(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{Config: `resource "random_uuid" "old" {}`},
				{
					Config: `
moved {
  from = random_uuid.old
  to   = random_uuid.new[0]
}
resource "random_uuid" "new" {
  count = 1
}
`,
					ConfigPlanChecks: planned("random_uuid.new[0]", plancheck.ResourceActionNoop),
				},
				{
					Config: `
removed {
  from = random_uuid.new
  lifecycle { destroy = false }
}
`,
					ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				},
			},
		}
	})
}

// v5 returns a factory of the provider over protocol 5. The tests alternate between v5
// and v6.
func v5() map[string]func() (tfprotov5.ProviderServer, error) {
	return map[string]func() (tfprotov5.ProviderServer, error){"random": providerserver.NewProtocol5WithError(random.New(random.Current))}
}

// v6 returns a factory of a release of the provider over protocol 6.
func v6(release random.Release) map[string]func() (tfplugin.ProviderServer, error) {
	return map[string]func() (tfplugin.ProviderServer, error){"random": providerserver.NewProtocol6WithError(random.New(release))}
}

// planned returns checks that the plan has this action, and that the plan after the apply
// is empty.
func planned(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// length returns a pattern that matches a text of n characters.
func length(n string) *regexp.Regexp { return regexp.MustCompile(`^.{` + n + `}$`) }

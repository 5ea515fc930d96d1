package random_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/random"
)

func TestID(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `resource "random_id" "foo" { byte_length = 4 }`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestMatchResourceAttr("random_id.foo", "b64_url", length("6")),
						resource.TestMatchResourceAttr("random_id.foo", "b64_std", length("8")),
						resource.TestMatchResourceAttr("random_id.foo", "hex", length("8")),
						resource.TestMatchResourceAttr("random_id.foo", "dec", regexp.MustCompile(`^\d{1,10}$`)),
						resource.TestCheckResourceAttrPair("random_id.foo", "id", "random_id.foo", "b64_url"),
						resource.TestCheckNoResourceAttr("random_id.foo", "prefix"),
					),
				},
				{ResourceName: "random_id.foo", ImportState: true, ImportStateVerify: true},
			},
		}
	})
}

func TestIDImportWithPrefix(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `
resource "random_id" "bar" {
  byte_length = 4
  prefix      = "cloud-"
}
`,
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("random_id.bar", tfjsonpath.New("hex"), knownvalue.StringRegexp(regexp.MustCompile(`^cloud-[0-9a-f]{8}$`))),
						statecheck.ExpectKnownValue("random_id.bar", tfjsonpath.New("keepers"), knownvalue.Null()),
					},
				},
				{ResourceName: "random_id.bar", ImportState: true, ImportStateIdPrefix: "cloud-,", ImportStateVerify: true},
			},
		}
	})
}

func TestIDImportIsNoBase64(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{{
				Config:        `resource "random_id" "foo" { byte_length = 4 }`,
				ResourceName:  "random_id.foo",
				ImportState:   true,
				ImportStateId: "not base64!",
				ExpectError:   regexp.MustCompile(`Import of a random id failed`),
			}},
		}
	})
}

// TestIDKeepers checks that changing a keeper replaces the value, and that adding a null
// keeper does not.
func TestIDKeepers(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(keepers string) string {
			return "resource \"random_id\" \"foo\" {\n  byte_length = 4\n  keepers = " + keepers + "\n}\n"
		}
		same, different := statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesDiffer())
		id := tfjsonpath.New("id")
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{
					Config:            config(`null`),
					ConfigPlanChecks:  planned("random_id.foo", plancheck.ResourceActionCreate),
					ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue("random_id.foo", id)},
				},
				{
					Config:            config(`{}`),
					ConfigPlanChecks:  planned("random_id.foo", plancheck.ResourceActionUpdate),
					ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue("random_id.foo", id)},
				},
				{
					Config:            config(`{ ami = null }`),
					ConfigPlanChecks:  planned("random_id.foo", plancheck.ResourceActionUpdate),
					ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue("random_id.foo", id), different.AddStateValue("random_id.foo", id)},
				},
				{
					Config:            config(`{ ami = "one" }`),
					ConfigPlanChecks:  planned("random_id.foo", plancheck.ResourceActionDestroyBeforeCreate),
					ConfigStateChecks: []statecheck.StateCheck{different.AddStateValue("random_id.foo", id)},
				},
				{
					Config: config(`{ ami = "two" }`),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("random_id.foo", plancheck.ResourceActionReplace),
						plancheck.ExpectUnknownValue("random_id.foo", tfjsonpath.New("hex")),
						plancheck.ExpectKnownValue("random_id.foo", tfjsonpath.New("keepers").AtMapKey("ami"), knownvalue.StringExact("two")),
					}},
					ConfigStateChecks: []statecheck.StateCheck{different.AddStateValue("random_id.foo", id)},
				},
				{Config: config(`{ ami = "two" }`), PlanOnly: true},
			},
		}
	})
}

func TestIDLengthIsInvalid(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{Config: `resource "random_id" "foo" { byte_length = 0 }`, ExpectError: regexp.MustCompile(`byte_length value must be at least 1`)},
				{Config: `resource "random_id" "foo" {}`, ExpectError: regexp.MustCompile(`The argument "byte_length" is required`)},
				{Config: `resource "random_id" "foo" { byte_length = "many" }`, ExpectError: regexp.MustCompile(`a number is required`)},
			},
		}
	})
}

package random_test

import (
	"fmt"
	"regexp"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/random"
)

// attributes checks attributes of the imported state.
func attributes(want map[string]string) resource.ImportStateCheckFunc {
	return func(states []*terraform.InstanceState) error {
		if len(states) != 1 {
			return fmt.Errorf("%d states were imported, want 1", len(states))
		}
		for name, value := range want {
			if got := states[0].Attributes[name]; got != value {
				return fmt.Errorf("%s is %q, want %q", name, got, value)
			}
		}
		return nil
	}
}

func TestString(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `resource "random_string" "basic" { length = 12 }`,
					Check:  resource.TestMatchResourceAttr("random_string.basic", "result", length("12")),
				},
				{ResourceName: "random_string.basic", ImportState: true, ImportStateVerify: true},
				{
					Config: `
resource "random_string" "basic" {
  length           = 8
  override_special = "_"
  upper            = false
  lower            = false
  numeric          = false
}
`,
					ConfigPlanChecks: planned("random_string.basic", plancheck.ResourceActionReplace),
					Check:            resource.TestCheckResourceAttr("random_string.basic", "result", "________"),
				},
			},
		}
	})
}

func TestStringMinimums(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config:      "resource \"random_string\" \"min\" {\n  length = 2\n  min_lower = 3\n}\n",
					ExpectError: regexp.MustCompile(`The\s+length\s+is\s+2,\s+and\s+the\s+sum`),
				},
				{
					Config: `
resource "random_string" "min" {
  length           = 12
  min_lower        = 2
  min_upper        = 3
  min_numeric      = 4
  min_special      = 1
  override_special = "!#@"
}
`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestMatchResourceAttr("random_string.min", "result", regexp.MustCompile(`([a-z].*){2,}`)),
						resource.TestMatchResourceAttr("random_string.min", "result", regexp.MustCompile(`([A-Z].*){3,}`)),
						resource.TestMatchResourceAttr("random_string.min", "result", regexp.MustCompile(`([0-9].*){4,}`)),
						resource.TestMatchResourceAttr("random_string.min", "result", regexp.MustCompile(`[!#@]`)),
					),
				},
			},
		}
	})
}

// TestStringOfNothing checks that a failed apply stores no string, and that the next
// apply succeeds.
func TestStringOfNothing(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(lower string) string {
			return "resource \"random_string\" \"none\" {\n  length = 3\n  upper = false\n  lower = " + lower + "\n  numeric = false\n  special = false\n}\n"
		}
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{Config: config("false"), ExpectError: regexp.MustCompile(`at least one of upper, lower, numeric and special must be\s+true`)},
				{
					Config:           config("true"),
					ConfigPlanChecks: planned("random_string.none", plancheck.ResourceActionCreate),
					Check:            resource.TestMatchResourceAttr("random_string.none", "result", regexp.MustCompile(`^[a-z]{3}$`)),
				},
			},
		}
	})
}

func TestPassword(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: `resource "random_password" "basic" { length = 12 }`,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectSensitiveValue("random_password.basic", tfjsonpath.New("result")),
					}},
					Check: resource.ComposeTestCheckFunc(
						resource.TestMatchResourceAttr("random_password.basic", "result", length("12")),
						resource.TestCheckResourceAttr("random_password.basic", "id", "none"),
					),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectSensitiveValue("random_password.basic", tfjsonpath.New("result")),
						statecheck.ExpectSensitiveValue("random_password.basic", tfjsonpath.New("hash")),
					},
				},
				{
					ResourceName: "random_password.basic",
					ImportState:  true,
					ImportStateIdFunc: func(s *terraform.State) (string, error) {
						return s.RootModule().Resources["random_password.basic"].Primary.Attributes["result"], nil
					},
					ImportStateVerify: true,
				},
			},
		}
	})
}

// TestPasswordOutput checks that an output with a secret must be sensitive.
func TestPasswordOutput(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(sensitive string) string {
			return `
resource "random_password" "p" {
  length  = 6
  special = false
}
output "upper" {
  value     = upper(random_password.p.result)
  sensitive = ` + sensitive + `
}
output "length" { value = nonsensitive(length(random_password.p.result)) }
`
		}
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{Config: config("false"), ExpectError: regexp.MustCompile(`Output refers to sensitive values`)},
				{
					Config: config("true"),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownOutputValue("upper", knownvalue.StringRegexp(regexp.MustCompile(`^[A-Z0-9]{6}$`))),
						statecheck.ExpectKnownOutputValue("length", knownvalue.Int64Exact(6)),
					},
				},
			},
		}
	})
}

// TestPasswordUpgrade checks that the state of the first release keeps its password.
func TestPasswordUpgrade(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		const config = `
resource "random_password" "kept" {
  length  = 10
  special = false
  keepers = { of = "the first release" }
}
`
		same := statecheck.CompareValue(compare.ValuesSame())
		return resource.TestCase{
			Steps: []resource.TestStep{
				{
					ProtoV6ProviderFactories: v6(random.First),
					Config:                   config,
					Check:                    resource.TestCheckNoResourceAttr("random_password.kept", "hash"),
					ConfigStateChecks:        []statecheck.StateCheck{same.AddStateValue("random_password.kept", tfjsonpath.New("result"))},
				},
				{
					ProtoV6ProviderFactories: v6(random.Current),
					Config:                   config,
					ConfigPlanChecks:         planned("random_password.kept", plancheck.ResourceActionNoop),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr("random_password.kept", "keepers.of", "the first release"),
						resource.TestCheckResourceAttr("random_password.kept", "special", "false"),
					),
					ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue("random_password.kept", tfjsonpath.New("result"))},
				},
				{
					ProtoV6ProviderFactories: v6(random.Current),
					Config:                   config + "output \"hashed\" { value = nonsensitive(random_password.kept.hash == sha256(random_password.kept.result)) }\n",
					Check:                    resource.TestCheckOutput("hashed", "true"),
				},
			},
		}
	})
}

// TestPasswordEphemeral checks that an ephemeral password is passed to the resources that
// use it and is not stored.
func TestPasswordEphemeral(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		factories := v6(random.Current)
		factories["echo"] = func() (tfplugin.ProviderServer, error) { return echoprovider.NewProviderServer()() }
		return resource.TestCase{
			TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
			ProtoV6ProviderFactories: factories,
			Steps: []resource.TestStep{{
				Config: `
ephemeral "random_password" "once" {
  length = 20
}
provider "echo" {
  data = ephemeral.random_password.once
}
resource "echo" "seen" {}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("echo.seen", tfjsonpath.New("data").AtMapKey("result"), knownvalue.StringRegexp(length("20"))),
				},
			}},
		}
	})
}

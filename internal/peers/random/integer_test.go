package random_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/random"
)

const oneToThree = `
resource "random_integer" "one" {
  min  = 1
  max  = 3
  seed = "12345"
}
`

func TestInteger(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config: oneToThree,
					Check: resource.ComposeTestCheckFunc(
						resource.TestMatchResourceAttr("random_integer.one", "result", regexp.MustCompile(`^[123]$`)),
						resource.TestCheckResourceAttrPair("random_integer.one", "result", "random_integer.one", "id"),
					),
				},
				{
					ResourceName:     "random_integer.one",
					ImportState:      true,
					ImportStateId:    "3,1,3,12345",
					ImportStateCheck: attributes(map[string]string{"result": "3", "max": "3", "seed": "12345"}),
				},
				{Config: oneToThree, ResourceName: "random_integer.one", ImportState: true, ImportStateId: "3,one,3", ExpectError: regexp.MustCompile(`"one"\s+is\s+not\s+an\s+integer`)},
				{Config: oneToThree, ResourceName: "random_integer.one", ImportState: true, ImportStateId: "3", ExpectError: regexp.MustCompile(`must be\s+RESULT,MIN,MAX`)},
			},
		}
	})
}

// TestIntegerBoundsAreVariables uses bounds that are unknown in the plan.
func TestIntegerBoundsAreVariables(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		const text = `
variable "min" { type = number }
variable "max" {
  type    = number
  default = 10
}
resource "random_integer" "low" {
  min = var.min
  max = var.max
}
resource "random_integer" "high" {
  min = random_integer.low.result
  max = random_integer.low.result
}
output "sum" { value = random_integer.low.result + random_integer.high.result }
`
		return resource.TestCase{
			ProtoV6ProviderFactories: v6(random.Current),
			Steps: []resource.TestStep{
				{
					Config:          text,
					ConfigVariables: config.Variables{"min": config.IntegerVariable(5), "max": config.IntegerVariable(4)},
					ExpectError:     regexp.MustCompile(`The minimum \(5\) must not be greater than the maximum \(4\)`),
				},
				{Config: text, ExpectError: regexp.MustCompile(`No value for required variable`)},
				{
					Config:          text,
					ConfigVariables: config.Variables{"min": config.IntegerVariable(10)},
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectUnknownOutputValue("sum"),
						plancheck.ExpectUnknownValue("random_integer.high", tfjsonpath.New("min")),
					}},
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("random_integer.high", tfjsonpath.New("result"), knownvalue.Int64Exact(10)),
						statecheck.ExpectKnownOutputValue("sum", knownvalue.Int64Exact(20)),
					},
				},
				{
					Config:          text,
					ConfigVariables: config.Variables{"min": config.IntegerVariable(4), "max": config.IntegerVariable(4)},
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("random_integer.low", plancheck.ResourceActionReplace),
						plancheck.ExpectResourceAction("random_integer.high", plancheck.ResourceActionReplace),
					}},
					Check: resource.TestCheckOutput("sum", "8"),
				},
			},
		}
	})
}

func TestIntegerSeedIsTheSameForAll(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{{
				Config: `
resource "random_integer" "n" {
  count = 3
  min   = 0
  max   = 1000000000
  seed  = "the same"
}
output "different" { value = length(toset(random_integer.n[*].result)) }
`,
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckOutput("different", "1"),
					resource.TestCheckResourceAttrPair("random_integer.n.0", "result", "random_integer.n.2", "result"),
				),
			}},
		}
	})
}

func TestIntegerHuge(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProtoV5ProviderFactories: v5(),
			Steps: []resource.TestStep{
				{
					Config:      "resource \"random_integer\" \"huge\" {\n  min = 1.5\n  max = 3\n}\n",
					ExpectError: regexp.MustCompile(`1\.5\) is not an integer`),
				},
				{
					Config: `
resource "random_integer" "huge" {
  min = 7227701560655103596
  max = 7227701560655103597
}
`,
					Check: resource.TestMatchResourceAttr("random_integer.huge", "result", regexp.MustCompile(`^722770156065510359[67]$`)),
				},
			},
		}
	})
}

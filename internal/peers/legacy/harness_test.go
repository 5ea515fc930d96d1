package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// TestConfigFile uses a file with variables as configuration.
func TestConfigFile(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{ConfigFile: config.StaticFile("testdata/server.tf"), Check: resource.TestCheckResourceAttr(address, "size", "small")},
				{
					ConfigFile:       config.StaticFile("testdata/server.tf"),
					ConfigVariables:  config.Variables{"size": config.StringVariable("large")},
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				},
			},
		}
	})
}

// TestConfigDirectory uses a directory for each step, with variables.
func TestConfigDirectory(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					ConfigDirectory: config.TestStepDirectory(),
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("labels"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("."), knownvalue.StringExact("."),
					}))},
				},
				{
					ConfigDirectory:  config.TestStepDirectory(),
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
					Check:            resource.TestCheckTypeSetElemAttr(address, "ports.*", "22"),
				},
			},
		}
	})
}

// TestImportStatePersist starts with an import and keeps the imported server in the state.
func TestImportStatePersist(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		text := server("  zone = \"east\"\n  tags = { by = \"hand\" }\n")
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			PreCheck: func() {
				if _, err := cloud.Create(Server{Name: "web", Zone: "east", Size: "small", Enabled: true, Tags: map[string]string{"by": "hand"}}); err != nil {
					t.Fatal(err)
				}
			},
			Steps: []resource.TestStep{
				{
					Config: text, ResourceName: address, ImportState: true, ImportStateId: "east/web", ImportStatePersist: true,
					ImportStateCheck: func(states []*terraform.InstanceState) error {
						if len(states) != 1 || states[0].ID != "east/web" || states[0].Attributes["tags.by"] != "hand" {
							return fmt.Errorf("imported %v, want the server east/web with its tag", states)
						}
						return nil
					},
				},
				{
					Config:           text,
					ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
					Check:            stored(cloud, "east/web", func(s Server) bool { return s.Revision == 1 }),
				},
			},
		}
	})
}

// TestImportBlock checks the plan of an import block, and the error of an import block for a
// server that does not exist.
func TestImportBlock(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		text := server("  disk {\n    name = \"root\"\n  }\n  network {\n    name = \"lan\"\n  }\n  boot {\n    image = \"a\"\n  }\n  rule {\n    action = \"allow\"\n  }\n")
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: text},
				{
					Config: text, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
					ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
						plancheck.ExpectKnownValue(address, tfjsonpath.New("disk").AtSliceIndex(0).AtMapKey("id"), knownvalue.StringExact("disk-1")),
					}},
				},
				{
					Config: text, ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
					ImportStateIdFunc: func(s *terraform.State) (string, error) {
						return s.RootModule().Resources[address].Primary.Attributes["zone"] + "/nobody", nil
					},
					ExpectError: regexp.MustCompile(`north/nobody: no such server`),
				},
			},
		}
	})
}

// TestRefreshState uses a refresh step with its own checks.
func TestRefreshState(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: server("  weight = 0.5\n")},
				{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
				{
					PreConfig:          change(t, cloud, "north/web", func(s *Server) { s.Weight = 0.75 }),
					RefreshState:       true,
					ExpectNonEmptyPlan: true,
					RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					}},
					Check: resource.TestCheckResourceAttrWith(address, "weight", func(v string) error {
						if v != "0.75" {
							return fmt.Errorf("the weight is %s, want 0.75", v)
						}
						return nil
					}),
				},
			},
		}
	})
}

// TestComparisons compares values between resources and steps.
func TestComparisons(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		revision := statecheck.CompareValue(compare.ValuesDiffer())
		fingerprint := statecheck.CompareValue(compare.ValuesSame())
		text := func(tag string) string {
			return server("  ports = [1, 2]\n  labels = [\"north\", \"x\"]\n  tags = { v = \""+tag+"\" }\n") + `
resource "legacy_server" "other" {
  name  = "other"
  ports = legacy_server.s.ports
}
output "all" {
  value = {
    names   = [legacy_server.s.name, legacy_server.other.name]
    ratio   = 1 / 3
    nothing = null
    nested  = [{ on = legacy_server.s.enabled }]
  }
}
`
		}
		// Each step adds its values to the comparisons.
		checks := func() []statecheck.StateCheck {
			return []statecheck.StateCheck{
				revision.AddStateValue(address, tfjsonpath.New("revision")),
				fingerprint.AddStateValue(address, tfjsonpath.New("fingerprint")),
				statecheck.CompareValuePairs(address, tfjsonpath.New("ports"), "legacy_server.other", tfjsonpath.New("ports"), compare.ValuesSame()),
				statecheck.CompareValueCollection(address, []tfjsonpath.Path{tfjsonpath.New("labels")}, "legacy_server.other", tfjsonpath.New("zone"), compare.ValuesSame()),
				statecheck.ExpectKnownOutputValueAtPath("all", tfjsonpath.New("nested").AtSliceIndex(0).AtMapKey("on"), knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValueAtPath("all", tfjsonpath.New("ratio"), knownvalue.NumberFunc(func(v *big.Float) error {
					if f, _ := v.Float64(); f < 0.33 || f > 0.34 {
						return fmt.Errorf("the ratio is %v, want 1/3", v)
					}
					return nil
				})),
				statecheck.ExpectKnownOutputValueAtPath("all", tfjsonpath.New("nothing"), knownvalue.Null()),
				statecheck.ExpectKnownOutputValueAtPath("all", tfjsonpath.New("names"), knownvalue.TupleExact([]knownvalue.Check{
					knownvalue.StringExact("web"), knownvalue.StringFunc(func(v string) error {
						if !strings.HasPrefix(v, "o") {
							return errors.New("the name is " + v + ", want a name that begins with o")
						}
						return nil
					}),
				})),
			}
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: text("a"), ConfigStateChecks: checks(), Check: resource.TestCheckTypeSetElemAttrPair("legacy_server.other", "ports.*", address, "ports.0")},
				{Config: text("b"), ConfigStateChecks: checks()},
			},
		}
	})
}

// counting is a custom check of plan and state: it compares the number of planned
// creations with the number of resources, and checks the type and the provider of each
// planned resource.
type counting struct{ creates *int }

func (c counting) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, r := range req.Plan.ResourceChanges {
		if r.Change.Actions.Create() {
			*c.creates++
		}
		if r.Type != "legacy_server" || !strings.HasSuffix(r.ProviderName, "/legacy") {
			resp.Error = fmt.Errorf("unexpected resource %s of type %s and provider %s", r.Address, r.Type, r.ProviderName)
		}
	}
}

func (c counting) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resources := req.State.Values.RootModule.Resources
	if len(resources) != *c.creates {
		resp.Error = fmt.Errorf("%d creations were planned, and the state has %d resources", *c.creates, len(resources))
	}
}

func TestCustomChecks(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		own := counting{new(int)}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{{
				Config:            "resource \"legacy_server\" \"s\" {\n  count = 3\n  name = \"web-${count.index}\"\n}\n",
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{own}},
				ConfigStateChecks: []statecheck.StateCheck{own},
				Check:             resource.TestCheckResourceAttr("legacy_server.s.2", "name", "web-2"),
			}},
		}
	})
}

// TestErrorCheck skips a step and filters errors.
func TestErrorCheck(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			ErrorCheck: func(err error) error {
				if err != nil && !strings.Contains(err.Error(), "refused") {
					return err
				}
				return nil
			},
			Steps: []resource.TestStep{
				{SkipFunc: func() (bool, error) { return true, nil }, Config: "this is no configuration"},
				{PreConfig: func() { cloud.Refuse("web") }, Config: server("")},
				{PreConfig: func() { cloud.Refuse("") }, Config: server("")},
			},
		}
	})
}

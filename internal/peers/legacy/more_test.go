package legacy_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// TestServerUpgrade checks that the state of the first release, with region, port and
// contact, is upgraded without a change.
func TestServerUpgrade(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		const now = `
resource "legacy_server" "s" {
  name  = "web"
  zone  = "east"
  ports = [8080]
  owner = "ops"
}
`
		return resource.TestCase{
			CheckDestroy: gone(cloud),
			Steps: []resource.TestStep{
				{
					ProviderFactories: factories(cloud, First),
					Config:            "resource \"legacy_server\" \"s\" {\n  name = \"web\"\n  region = \"east\"\n  port = 8080\n  contact = \"ops\"\n}\n",
					Check:             resource.TestCheckResourceAttr(address, "region", "east"),
				},
				{
					ProviderFactories: factories(cloud, Provider),
					Config:            now,
					ConfigPlanChecks:  planned(plancheck.ResourceActionNoop),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "zone", "east"),
						resource.TestCheckResourceAttr(address, "owner", "ops"),
						resource.TestCheckResourceAttr(address, "ports.#", "1"),
						resource.TestCheckTypeSetElemAttr(address, "ports.*", "8080"),
						resource.TestCheckResourceAttr(address, "revision", "1"),
					),
				},
			},
		}
	})
}

// TestServerData reads a resource of the same plan with a data source.
func TestServerData(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(size string) string {
			return server("  size = \""+size+"\"\n  disk {\n    name = \"root\"\n  }\n  tags = { a = \"b\" }\n") + `
data "legacy_server" "it" {
  name       = legacy_server.s.name
  depends_on = [legacy_server.s]
}
output "disks" { value = [for d in data.legacy_server.it.disk : "${d.name}:${d.gb}"] }
output "size" { value = data.legacy_server.it.size }
`
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config: config("small"),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttrPair("data.legacy_server.it", "id", address, "id"),
						resource.TestCheckResourceAttr("data.legacy_server.it", "tags.a", "b"),
						resource.TestCheckOutput("size", "small"),
					),
				},
				{
					Config: config("large"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("data.legacy_server.it", plancheck.ResourceActionRead),
						plancheck.ExpectUnknownOutputValue("size"),
					}},
					Check: resource.TestCheckOutput("size", "large"),
				},
			},
		}
	})
}

func TestServerDataIsAbsent(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			Steps: []resource.TestStep{{
				Config:      `data "legacy_server" "it" { name = "nobody" }`,
				ExpectError: regexp.MustCompile(`north/nobody: no such server`),
			}},
		}
	})
}

// TestProviderAliases configures a provider twice. Both configurations are equal, because
// terraform-plugin-testing serves all aliases from one process, and a provider on
// terraform-plugin-sdk keeps only the last configuration.
func TestProviderAliases(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		const text = `
variable "zone" { type = string }
provider "legacy" { zone = var.zone }
provider "legacy" {
  alias = "far"
  zone  = var.zone
}
resource "legacy_server" "s" { name = "web" }
resource "legacy_server" "far" {
  provider = legacy.far
  name     = "far-${legacy_server.s.name}"
}
`
		zone := func(name string) config.Variables { return config.Variables{"zone": config.StringVariable(name)} }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config:          text,
					ConfigVariables: zone("east"),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "zone", "east"),
						resource.TestCheckResourceAttr("legacy_server.far", "id", "east/far-web"),
					),
				},
				// Existing servers stay.
				{Config: text, ConfigVariables: zone("west"), PlanOnly: true},
			},
		}
	})
}

// TestServerCreateBeforeDestroy checks that the replacement, which is in a different zone, is
// created first.
func TestServerCreateBeforeDestroy(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		text := func(zone string) string {
			return server("  zone = \"" + zone + "\"\n  lifecycle { create_before_destroy = true }\n")
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: text("a")},
				{
					Config: text("b"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreateBeforeDestroy),
					}},
					Check: resource.TestCheckResourceAttr(address, "id", "b/web"),
				},
				// The replacement cannot be created, so the old server stays.
				{
					PreConfig: func() {
						if _, err := cloud.Create(Server{Name: "web", Zone: "c"}); err != nil {
							t.Fatal(err)
						}
					},
					Config:      text("c"),
					ExpectError: regexp.MustCompile(`a\s+server\s+of\s+this\s+name\s+already\s+exists`),
				},
				{
					PreConfig:        func() { cloud.Delete("c/web") },
					Config:           text("b"),
					ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				},
			},
		}
	})
}

// TestServerUnknown uses unknown values in blocks and sets.
func TestServerUnknown(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		text := server("") + `
resource "legacy_server" "other" {
  name   = "other-${legacy_server.s.revision}"
  zone   = legacy_server.s.zone
  ports  = [legacy_server.s.revision, 22]
  labels = [legacy_server.s.fingerprint]
  tags   = { of = legacy_server.s.id }
  disk {
    name = legacy_server.s.id
    gb   = legacy_server.s.revision + 4
  }
  dynamic "network" {
    for_each = [legacy_server.s.zone]
    content {
      name    = network.value
      aliases = [legacy_server.s.fingerprint]
    }
  }
}
`
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{{
				Config: text,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("legacy_server.other", tfjsonpath.New("name")),
					plancheck.ExpectUnknownValue("legacy_server.other", tfjsonpath.New("disk").AtSliceIndex(0).AtMapKey("gb")),
				}},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr("legacy_server.other", "name", "other-1"),
					resource.TestCheckResourceAttr("legacy_server.other", "disk.0.gb", "5"),
					resource.TestCheckTypeSetElemAttr("legacy_server.other", "ports.*", "1"),
					resource.TestCheckTypeSetElemNestedAttrs("legacy_server.other", "network.*", map[string]string{"name": "north"}),
					resource.TestCheckResourceAttrPair("legacy_server.other", "labels.0", address, "fingerprint"),
				),
			}},
		}
	})
}

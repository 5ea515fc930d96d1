package legacy_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestProviderIsSound(t *testing.T) {
	t.Parallel()
	if err := Provider(NewCloud()).InternalValidate(); err != nil {
		t.Error(err)
	}
}

// TestServer checks the defaults and the values chosen by the cloud with a minimal
// configuration, and the import of the server.
func TestServer(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config:           server(""),
					ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr(address, "id", "north/web"),
						resource.TestCheckResourceAttr(address, "zone", "north"),
						resource.TestCheckResourceAttr(address, "size", "small"),
						resource.TestCheckResourceAttr(address, "enabled", "true"),
						resource.TestCheckResourceAttr(address, "revision", "1"),
						resource.TestCheckResourceAttr(address, "rule.#", "1"),
						resource.TestCheckResourceAttr(address, "rule.0.action", "deny"),
						resource.TestCheckResourceAttr(address, "disk.#", "0"),
						resource.TestCheckNoResourceAttr(address, "tags.%"),
					),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(address, tfjsonpath.New("boot"), knownvalue.ListExact(nil)),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("network"), knownvalue.SetExact(nil)),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("timeouts"), knownvalue.Null()),
					},
				},
				{Config: server(""), PlanOnly: true},
				{ResourceName: address, ImportState: true, ImportStateVerify: true},
				{ResourceName: address, ImportState: true, ImportStateId: "web", ExpectError: regexp.MustCompile(`ID\s+"web"\s+does\s+not\s+have\s+the\s+form\s+ZONE/NAME`)},
				{ResourceName: address, ImportState: true, ImportStateId: "north/other", ExpectError: regexp.MustCompile(`no such server`)},
			},
		}
	})
}

const everything = `
  zone      = "south"
  size      = "medium"
  enabled   = false
  weight    = 0.25
  tags      = { env = "test", "team.name" = "a" }
  labels    = ["x", "y"]
  ports     = [443, 80, 443]
  user_data = "#!/bin/sh\necho hello\n"
  policy    = jsonencode({ allow = ["a", "b"], deny = [] })
  password  = "hush"
  disk {
    name = "root"
  }
  disk {
    name = "data"
    gb   = 100
  }
  network {
    name    = "lan"
    aliases = ["web.lan", "www.lan"]
  }
  network {
    name   = "wan"
    public = true
  }
  rule {
    action = "allow"
    port   = 443
  }
  boot {
    image = "debian"
  }
  timeouts {
    create = "1m"
  }
`

// TestServerWithEverything sets most attributes and all blocks.
func TestServerWithEverything(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config: server(everything),
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr(address, "weight", "0.25"),
						resource.TestCheckResourceAttr(address, "tags.%", "2"),
						resource.TestCheckResourceAttr(address, "tags.team.name", "a"),
						resource.TestCheckResourceAttr(address, "labels.1", "y"),
						resource.TestCheckResourceAttr(address, "ports.#", "2"),
						resource.TestCheckTypeSetElemAttr(address, "ports.*", "443"),
						resource.TestMatchResourceAttr(address, "user_data", regexp.MustCompile(`^[0-9a-f]{64}$`)),
						resource.TestCheckResourceAttr(address, "policy", `{"allow":["a","b"],"deny":[]}`),
						resource.TestCheckResourceAttr(address, "disk.0.gb", "10"),
						resource.TestCheckResourceAttr(address, "disk.1.gb", "100"),
						resource.TestCheckResourceAttr(address, "disk.1.id", "disk-2"),
						resource.TestCheckTypeSetElemNestedAttrs(address, "network.*", map[string]string{"name": "wan", "public": "true", "aliases.#": "0"}),
						resource.TestCheckTypeSetElemAttr(address, "network.*.aliases.*", "www.lan"),
						resource.TestMatchTypeSetElemNestedAttrs(address, "network.*", map[string]*regexp.Regexp{"name": regexp.MustCompile("^l")}),
						resource.TestCheckResourceAttr(address, "boot.0.image", "debian"),
						resource.TestCheckResourceAttr(address, "boot.0.delay", "0"),
						resource.TestCheckResourceAttr(address, "timeouts.create", "1m"),
					),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectSensitiveValue(address, tfjsonpath.New("password")),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("network"), knownvalue.SetPartial([]knownvalue.Check{
							knownvalue.ObjectExact(map[string]knownvalue.Check{
								"name": knownvalue.StringExact("lan"), "public": knownvalue.Bool(false),
								"aliases": knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("web.lan"), knownvalue.StringExact("www.lan")}),
							}),
						})),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("disk").AtSliceIndex(1).AtMapKey("name"), knownvalue.StringExact("data")),
					},
				},
				{Config: server(everything), PlanOnly: true},
				{
					ResourceName:      address,
					ImportState:       true,
					ImportStateVerify: true,
					// A read does not set these attributes.
					ImportStateVerifyIgnore: []string{"user_data", "timeouts"},
				},
			},
		}
	})
}

// TestServerBlocks checks that adding and removing nested blocks with IDs from the cloud is
// an update.
func TestServerBlocks(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		disks := func(names ...string) string {
			var text string
			for _, name := range names {
				text += "  disk {\n    name = \"" + name + "\"\n  }\n"
			}
			return server(text)
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: disks("a", "b"), Check: resource.TestCheckResourceAttr(address, "disk.1.id", "disk-2")},
				{
					Config: disks("a", "b", "c"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue(address, tfjsonpath.New("disk").AtSliceIndex(0).AtMapKey("id"), knownvalue.StringExact("disk-1")),
						// For a block that an update adds, the SDK plans a null ID and
						// stores a known one, which only the legacy type system permits.
						plancheck.ExpectKnownValue(address, tfjsonpath.New("disk").AtSliceIndex(2).AtMapKey("id"), knownvalue.Null()),
					}},
					Check: resource.TestCheckResourceAttr(address, "disk.2.id", "disk-3"),
				},
				{
					Config:           disks("b"),
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "disk.#", "1"),
						resource.TestCheckResourceAttr(address, "disk.0.name", "b"),
						// The SDK matches elements of a list by index.
						resource.TestCheckResourceAttr(address, "disk.0.id", "disk-1"),
					),
				},
				{Config: server(""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: resource.TestCheckResourceAttr(address, "disk.#", "0")},
			},
		}
	})
}

// TestServerDynamicBlocks uses dynamic blocks, one of them conditional.
func TestServerDynamicBlocks(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(networks string) string {
			return `
locals { networks = ` + networks + ` }
` + server(`
  dynamic "network" {
    for_each = local.networks
    iterator = net
    content {
      name    = net.key
      public  = net.value.public
      aliases = [for a in lookup(net.value, "aliases", []) : lower(a)]
    }
  }
  dynamic "boot" {
    for_each = length(local.networks) > 1 ? [1] : []
    content { image = "net" }
  }
`)
		}
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config: config(`{ a = { public = true }, b = { public = false, aliases = ["B.EXAMPLE"] } }`),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "network.#", "2"),
						resource.TestCheckTypeSetElemNestedAttrs(address, "network.*", map[string]string{"name": "b", "aliases.#": "1"}),
						resource.TestCheckTypeSetElemAttr(address, "network.*.aliases.*", "b.example"),
						resource.TestCheckResourceAttr(address, "boot.0.image", "net"),
					),
				},
				{
					Config: config(`{ b = { public = true } }`),
					// Removing the boot block also removes the image, which forces the replacement.
					ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckTypeSetElemNestedAttrs(address, "network.*", map[string]string{"name": "b", "public": "true"}),
						resource.TestCheckResourceAttr(address, "boot.#", "0"),
					),
				},
			},
		}
	})
}

// TestServerAttributeAsBlocks sets rules as blocks, as an attribute, and not at all.
func TestServerAttributeAsBlocks(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{
					Config: server("  rule {\n    action = \"allow\"\n  }\n  rule {\n    action = \"log\"\n    port = 22\n  }\n"),
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr(address, "rule.#", "2"),
						resource.TestCheckResourceAttr(address, "rule.1.port", "22"),
					),
				},
				{
					Config:           server("  rule = [{ action = \"log\", port = null }]\n"),
					ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
					Check:            resource.TestCheckResourceAttr(address, "rule.0.action", "log"),
				},
				// If rule is not set, the existing rules stay.
				{
					Config:           server(""),
					ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
					Check:            resource.TestCheckResourceAttr(address, "rule.0.action", "log"),
				},
			},
		}
	})
}

// TestServerStateFunc checks that the name is stored in lower case, and that its case is
// ignored.
func TestServerStateFunc(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(name string) string { return "resource \"legacy_server\" \"s\" {\n  name = \"" + name + "\"\n}\n" }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: config("Web"), Check: resource.TestCheckResourceAttr(address, "name", "web")},
				{Config: config("WEB"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
				{Config: config("db"), ConfigPlanChecks: planned(plancheck.ResourceActionReplace), Check: resource.TestCheckResourceAttr(address, "id", "north/db")},
			},
		}
	})
}

// TestServerSize checks that a larger size is an update that makes the fingerprint
// unknown, and that a smaller size is a replacement.
func TestServerSize(t *testing.T) {
	test(t, func() resource.TestCase {
		cloud := NewCloud()
		config := func(size string) string { return server("  size = \"" + size + "\"\n") }
		return resource.TestCase{
			ProviderFactories: factories(cloud, Provider),
			CheckDestroy:      gone(cloud),
			Steps: []resource.TestStep{
				{Config: config("huge"), ExpectError: regexp.MustCompile(`expected size to be one of`)},
				{Config: config("medium")},
				{
					Config: config("large"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(address, tfjsonpath.New("fingerprint")),
						plancheck.ExpectKnownValue(address, tfjsonpath.New("revision"), knownvalue.Int64Exact(1)),
					}},
					Check: resource.TestCheckResourceAttr(address, "revision", "2"),
				},
				{
					Config:           config("small"),
					ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
					Check:            resource.TestCheckResourceAttr(address, "revision", "1"),
				},
			},
		}
	})
}

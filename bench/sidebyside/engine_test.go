package sidebyside_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

const address = "web_site.this"

// hcl returns a configuration of a site. With SDKv2, routes are blocks.
func hcl(c sidebyside.Contender, dir, port, settings string) string {
	routes := "routes = [{ path = \"/\", backend = \"web:80\", weight = 1 }]"
	if c.Title == "SDKv2" {
		routes = "routes {\n    path    = \"/\"\n    backend = \"web:80\"\n    weight  = 1\n  }"
	}
	return fmt.Sprintf("provider \"web\" {\n  directory = %q\n}\n\nresource \"web_site\" \"this\" {\n"+
		"  name     = \"shop\"\n  root     = \"/srv\"\n  port     = %s\n  settings = %q\n  %s\n}\n", dir, port, settings, routes)
}

// TestEngine runs the lifecycle of each contender's site with the OpenTofu or Terraform
// command, to check that the scenarios act as the command does.
func TestEngine(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	acctest.NeedsCLI(t)
	for _, c := range sidebyside.Contenders() {
		t.Run(c.Title, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sites, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
				return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
			}
			output := func(name string, check knownvalue.Check) statecheck.StateCheck {
				return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: map[string]func() (tfplugin.ProviderServer, error){
					"web": func() (tfplugin.ProviderServer, error) { return c.New(context.Background()) },
				},
				Steps: []resource.TestStep{
					{
						Config: hcl(c, dir, "8443", `{"a":1,"b":2}`), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
						ConfigStateChecks: []statecheck.StateCheck{
							output("protocol", knownvalue.StringExact("https")),
							output("url", knownvalue.StringExact("https://shop:8443")),
							statecheck.ExpectIdentity(address, map[string]knownvalue.Check{"name": knownvalue.StringExact("shop")}),
						},
					},
					{Config: hcl(c, dir, "8443", `{ "b": 2, "a": 1 }`), ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
					{
						PreConfig: func() {
							if err := sites.Edit(context.Background(), "shop", func(s *store.Site) { s.Protocol, s.Port = "http", 1 }); err != nil {
								t.Fatal(err)
							}
						},
						Config: hcl(c, dir, "8443", `{"a":1,"b":2}`), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
						ConfigStateChecks: []statecheck.StateCheck{output("revision", knownvalue.Int64Exact(2))},
					},
					{
						ResourceName: address, ImportState: true, ImportStateId: "shop", ImportStateVerify: true,
						ImportStateVerifyIdentifierAttribute: "name",
					},
					{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
					{Config: strings.Replace(hcl(c, dir, "8443", `{}`), "shop", "store", 1), ConfigPlanChecks: action(plancheck.ResourceActionReplace)},
				},
			})
		})
	}
}

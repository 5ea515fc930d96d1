package hosts_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// fleetConfig returns a configuration with a file on each of two hosts: web is the name of the first
// host, and dbContent the content of the file on the second host, db. hosts has the elements of the
// provider's hosts.
func fleetConfig(hosts, web, dbContent string) string {
	return `
provider "posix" {
  on_unreachable = "skip"
  hosts          = { ` + hosts + ` }
}

resource "posix_file" "web" {
  host    = "` + web + `"
  path    = "/srv/file"
  content = "x\n"
}

resource "posix_file" "db" {
  host    = "db"
  path    = "/srv/file"
  content = "` + dbContent + `\n"
}
`
}

// TestEngineRenamedHost renames a host in a configuration. The plan has no changes, and the
// state then has the new name, so that the former name can be removed from the configuration.
func TestEngineRenamedHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{}
	isEmpty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	onHost := func(name string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("posix_file.web", "host", name)
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOf(types, m.Hosts(t))),
		Steps: []resource.TestStep{
			{Config: fleetConfig("web = {}, db = {}", "web", "x"), Check: onHost("web")},
			{
				PreConfig: func() { m.Rename("web", "web1") },
				Config:    fleetConfig(`web1 = { formerly = ["web"] }, db = {}`, "web1", "x"), ConfigPlanChecks: isEmpty, Check: onHost("web1"),
			},
			{Config: fleetConfig("web1 = {}, db = {}", "web1", "x"), ConfigPlanChecks: isEmpty, Check: onHost("web1")},
		},
	})
	wantFiles(t, m)
}

// TestEngineSkippedHost changes a file on one host while another host cannot be reached.
func TestEngineSkippedHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{}}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOf(types, m.Hosts(t))),
		Steps: []resource.TestStep{
			{Config: fleetConfig("web = {}, db = {}", "web", "x")},
			{
				PreConfig: func() { m.Down["web"] = true },
				Config:    fleetConfig("web = {}, db = {}", "web", "y"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("posix_file.web", plancheck.ResourceActionNoop),
					plancheck.ExpectResourceAction("posix_file.db", plancheck.ResourceActionUpdate),
				}},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr("posix_file.web", "content", "x\n"), resource.TestCheckResourceAttr("posix_file.db", "content", "y\n")),
			},
			{
				PreConfig: func() { m.Down["web"] = false },
				Config:    fleetConfig("web = {}, db = {}", "web", "y"), PlanOnly: true,
			},
		},
	})
	wantFiles(t, m)
}

package legacy_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// test runs a test case in parallel, on the engine that the environment selects. It
// calls build once for each engine.
func test(t *testing.T, build func() resource.TestCase) {
	t.Helper()
	t.Parallel()
	acctest.TestFunc(t, build)
}

// factories returns the provider factories of a release, such as [Provider], for a cloud.
func factories(cloud *Cloud, release func(*Cloud) *schema.Provider) map[string]func() (*schema.Provider, error) {
	return map[string]func() (*schema.Provider, error){
		"legacy": func() (*schema.Provider, error) { return release(cloud), nil },
	}
}

// gone returns a check that all servers are destroyed.
func gone(cloud *Cloud) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		for name, r := range s.RootModule().Resources {
			if r.Type != "legacy_server" || r.Primary == nil {
				continue
			}
			if _, err := cloud.Get(r.Primary.ID); err == nil {
				return fmt.Errorf("%s still exists", name)
			}
		}
		if n := cloud.Len(); n > 0 {
			return fmt.Errorf("%d servers still exist", n)
		}
		return nil
	}
}

// change returns a function that changes a server outside of the provider.
func change(t *testing.T, cloud *Cloud, id string, f func(*Server)) func() {
	return func() {
		t.Helper()
		if err := cloud.Change(id, f); err != nil {
			t.Fatal(err)
		}
	}
}

// stored returns a check that the cloud has the server with the ID and that the function check
// accepts the server.
func stored(cloud *Cloud, id string, check func(Server) bool) resource.TestCheckFunc {
	return func(*terraform.State) error {
		s, err := cloud.Get(id)
		if err != nil {
			return err
		}
		if !check(s) {
			return fmt.Errorf("unexpected server in the cloud: %+v", s)
		}
		return nil
	}
}

const address = "legacy_server.s"

// planned returns checks that the plan has this action for the server, and that the next
// plan is empty.
func planned(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// server returns the configuration of the server named web, with rest in its block.
func server(rest string) string {
	return "resource \"legacy_server\" \"s\" {\n  name = \"web\"\n" + rest + "\n}\n"
}

package hostname_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedHostname sets, changes, repairs and imports a name on a recorded host.
func TestRecordedHostname(t *testing.T) {
	h := resourcetest.Record(t, transcript.Options{Watch: []string{static, "/proc/sys/kernel/hostname"}})
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	named := func(want string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("test \"$(hostname) $(cat /etc/hostname)\" = '" + want + " " + want + "'"))
	}
	plans := func(what string) resource.ConfigPlanChecks {
		return resourcetest.Plans("posix_hostname.this", what)
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config("web_1"), PlanOnly: true, ExpectError: resourcetest.WrappedText("letters from a to z")},
			{Config: config("one"), Check: named("one")},
			{Config: config("two.example.com"), ConfigPlanChecks: plans("update live_name name"), Check: named("two.example.com")},
			{Config: config("two.example.com"), PreConfig: by("hostname other"), ConfigPlanChecks: plans("update live_name"), Check: named("two.example.com")},
			{Config: config("two.example.com"), PreConfig: by("echo other >/etc/hostname"), ConfigPlanChecks: plans("update name"), Check: named("two.example.com")},
			{Config: config("two.example.com"), PreConfig: by("rm /etc/hostname"), ConfigPlanChecks: plans("create"), Check: named("two.example.com")},
			{
				ResourceName: "posix_hostname.this", ImportState: true, ImportStateId: "local",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
		},
	})
}

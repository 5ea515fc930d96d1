package service_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedUnit writes, changes, repairs, imports and removes a unit while systemd is not running.
func TestRecordedUnit(t *testing.T) {
	t.Parallel()
	const (
		path          = "/etc/systemd/system/recorded.service"
		first, second = "[Service]\nExecStart=/bin/true\n", "[Service]\nExecStart=/bin/false\n"
	)
	h := resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool { return args[0] == "/bin/sh" && !strings.Contains(args[2], "daemon-reload") },
		Watch:    []string{"/etc/systemd/system"},
		Versions: [][]string{{"systemctl", "--version"}},
	})
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(start string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -x ExecStart=" + start + " " + path + "; test \"$(stat -c '%a %U %G' " + path + ")\" = '644 root root'"))
	}
	plans := func(what string) resource.ConfigPlanChecks {
		return resourcetest.Plans("posix_systemd_unit.it", what)
	}
	is := unitOf("recorded.service", second, "")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: unitOf("recorded", first, ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("such as app.service, must end with its type")},
			{Config: unitOf("recorded.service", "[Service]\nRestart=always\n", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("Service has no ExecStart=")},
			{Config: unitOf("recorded.service", first, ""), Check: has("/bin/true")},
			{Config: is, ConfigPlanChecks: plans("update content"), Check: has("/bin/false")},
			{Config: is, PreConfig: by("echo '# a remark' >>" + path), ConfigPlanChecks: plans("update content"), Check: has("/bin/false")},
			{Config: is, PreConfig: by("chmod 600 " + path), ConfigPlanChecks: plans("update mode"), Check: has("/bin/false")},
			{Config: is, PreConfig: by("rm " + path), ConfigPlanChecks: plans("create"), Check: has("/bin/false")},
			{
				ResourceName: "posix_systemd_unit.it", ImportState: true, ImportStateId: "recorded.service",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
		},
		CheckDestroy: func(*terraform.State) error { return h.Does("test ! -e " + path)() },
	})
}

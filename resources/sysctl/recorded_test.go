package sysctl_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedSysctl creates, changes, repairs, imports and destroys a parameter.
func TestRecordedSysctl(t *testing.T) {
	const key, file = "net.core.somaxconn", "/etc/sysctl.d/99-posix-net.core.somaxconn.conf"
	h := resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool { return len(args) > 2 && !strings.Contains(args[2], ">\"$1\"") },
		Watch:    []string{somaxconn, "/etc/sysctl.d"},
	})
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(value string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -x " + value + " " + somaxconn + "; grep -x '" + key + " = " + value + "' " + file))
	}
	two := config(key, "222", "")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config("panic", "1", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("is not a valid key: it must have parts")},
			{
				PreConfig: by("mkdir -p /etc/sysctl.d; echo 100 >" + somaxconn + "; echo '" + key + " = 2' >" + file), Config: two, PlanOnly: true,
				ExpectError: resourcetest.WrappedText("already exists on host local with different settings"),
			},
			{PreConfig: by("rm " + file), Config: config(key, "many", ""), ExpectError: resourcetest.WrappedText("The value is not valid for this key")},
			{Config: config(key, "111", ""), Check: has("111")},
			{Config: two, ConfigPlanChecks: plans("update persisted value"), Check: has("222")},
			{Config: two, PreConfig: by("echo 333 >" + somaxconn), ConfigPlanChecks: plans("update value"), Check: has("222")},
			{Config: two, PreConfig: by("echo '" + key + " = 2' >" + file), ConfigPlanChecks: plans("update persisted"), Check: has("222")},
			{Config: two, PreConfig: by("rm " + file), ConfigPlanChecks: plans("create"), Check: has("222")},
			{
				ResourceName: "posix_sysctl.it", ImportState: true, ImportStateId: key,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "key",
			},
		},
		CheckDestroy: func(*terraform.State) error { // the value was 222 when the resource was created again
			return h.Does("grep -x 222 " + somaxconn + "; test ! -e " + file)()
		},
	})
}

package mount_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedMount mounts, remounts, repairs, imports and unmounts a file system.
func TestRecordedMount(t *testing.T) {
	h := resourcetest.Record(t, transcript.Options{
		Looks: func(args []string) bool { return len(args) == 6 && args[0] == "/bin/sh" }, // path and source are parameters
		Watch: []string{fstab},
		Omit: func(line string) bool { // other mounts
			fields := strings.Fields(line)
			return len(fields) > 8 && fields[4] != "/srv/it"
		},
		Versions: [][]string{{"mount", "--version"}},
	})
	testChanges(t, h)
}

// testChanges makes all changes of a mount on a host.
func testChanges(t *testing.T, h resourcetest.Recorded) {
	t.Helper()
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	first, second := config("one", "tmpfs", `["ro", "size=1m"]`, ""), config("two", "tmpfs", `["noexec", "size=2m"]`, "dump = 1")
	remounted := config("one", "tmpfs", `["noexec", "size=2m"]`, "")
	unmounted := config("two", "tmpfs", `["noexec", "size=2m"]`, "mounted = false")
	has := func(line, options string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -qx '" + line + "' /etc/fstab; findmnt -n -o OPTIONS -M /srv/it | grep '" + options + "'"))
	}
	is := has("two /srv/it tmpfs noexec,size=2m 1 0", "rw,noexec.*size=2048k")
	steps := []resource.TestStep{
		{Config: config("x", "swap", `["sw"]`, ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("mounted at a path, but is swap")},
		{
			PreConfig: by("mkdir -p /srv/it; mount -t tmpfs theirs /srv/it"),
			Config:    first, PlanOnly: true, ExpectError: resourcetest.WrappedText("another file system is mounted at /srv/it on host " + h.Name() + ": theirs of type tmpfs"),
		},
		{Config: first, PreConfig: by("umount /srv/it"), Check: has("one /srv/it tmpfs ro,size=1m 0 0", "ro.*size=1024k")},
		{Config: remounted, ConfigPlanChecks: plans("update options"), Check: has("one /srv/it tmpfs noexec,size=2m 0 0", "rw,noexec.*size=2048k")},
		{Config: second, ConfigPlanChecks: plans("update dump source"), Check: is},
		{Config: second, PreConfig: by("umount /srv/it"), ConfigPlanChecks: plans("update mounted"), Check: is},
		{Config: second, PreConfig: by("mount -o remount,size=8m /srv/it"), ConfigPlanChecks: plans("update mounted_otherwise"), Check: is},
		{Config: second, PreConfig: by("sed -i 's/noexec,size=2m/noexec/' /etc/fstab"), ConfigPlanChecks: plans("update options"), Check: is},
		{Config: second, PreConfig: by("umount /srv/it; sed -i '/^two/d' /etc/fstab"), ConfigPlanChecks: plans("create"), Check: is},
		{Config: unmounted, ConfigPlanChecks: plans("update dump mounted")},
		{Config: second, ConfigPlanChecks: plans("update dump mounted")},
		{
			ResourceName: "posix_mount.it", ImportState: true, ImportStateId: "/srv/it",
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path",
		},
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps:                    steps,
		CheckDestroy: func(*terraform.State) error {
			return h.Does("test -z \"$(findmnt -n -M /srv/it; grep /srv/it /etc/fstab)\"")()
		},
	})
}

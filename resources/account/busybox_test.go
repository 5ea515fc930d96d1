package account_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// envBusybox is the environment variable with the path of a busybox that has tools for
// accounts, such as Alpine's; Debian's has none. With it and TRANSCRIPT_RECORD=1,
// TestBusybox records its transcript.
const envBusybox = "POSIX_TEST_BUSYBOX"

// onlyBusybox replaces the tools for accounts and the shell in the test root with busybox,
// removes most accounts, and returns the local host.
func onlyBusybox() (host.Host, error) {
	binary := os.Getenv(envBusybox)
	if binary == "" {
		return nil, fmt.Errorf("%s is not set: set it to the path of a busybox with the tools for accounts", envBusybox)
	}
	err := sh(`
PATH=/usr/bin:/bin; mkdir -p /busybox; cp '` + binary + `' /bin/busybox
for applet in $(/bin/busybox --list); do ln -sf /bin/busybox /busybox/$applet; done
rm /usr/sbin/*add /usr/sbin/*mod /usr/sbin/*del /usr/bin/gpasswd /usr/sbin/chpasswd /usr/bin/passwd /usr/bin/chage
sed -i -n '/^\(root\|games\|daemon\|tty\|audio\):/p' /etc/passwd /etc/group /etc/shadow /etc/gshadow
ln -sf /bin/busybox /bin/sh`)
	if err != nil {
		return nil, err
	}
	return local.New()
}

// TestBusybox manages a user and a group with busybox.
func TestBusybox(t *testing.T) {
	if transcript.Recording() {
		roottest.Require(t)
		t.Setenv("PATH", "/busybox")
	}
	h := transcript.Host(t, "testdata/busybox.transcript", transcript.Options{
		Real:     onlyBusybox,
		ReadOnly: isReadOnly,
		Versions: [][]string{{"busybox"}},
	})
	by := func(args ...string) func() {
		return func() {
			if _, err := remotecmd.Run(t.Context(), h, args...); err != nil {
				t.Error(err)
			}
		}
	}
	config := func(group, user string) string {
		return fmt.Sprintf("resource \"posix_group\" \"ops\" {\n  name = \"ops\"\n%s\n}\nresource \"posix_user\" \"al\" {\n  name = \"al\"\n  groups = [posix_group.ops.name]\n%s\n}\n", group, user)
	}
	const ops = "resource \"posix_group\" \"ops\" {\n  name = \"ops\"\n}\n"
	const full = "uid = 3001\ncomment = \"Al É\"\nhome = \"/srv/homes/al\"\nshell = \"/bin/sh\"\nremove_home = true"
	plans := func(changes resourcetest.Changes) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{changes}}
	}
	user := func(change string) resource.ConfigPlanChecks {
		return plans(resourcetest.Changes{"posix_user.al": change})
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })),
		Steps: []resource.TestStep{
			{Config: config("gid = 3100", full+"\nexpires = \"2031-02-03\""), ExpectError: resourcetest.WrappedText("has no usermod, which is required to set expires; busybox has no equivalent. Install the package shadow")},
			{Config: config("gid = 3100", full), Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr("posix_user.al", "group", "al"),
				resource.TestCheckResourceAttr("posix_user.al", "expires", "never"),
			)},
			{Config: config("gid = 3100", full), PlanOnly: true},
			{Config: config("gid = 3100", full), PreConfig: by("delgroup", "al", "ops"), ConfigPlanChecks: user("update groups")},
			{Config: config("gid = 3100", full), PreConfig: by("addgroup", "al", "audio"), ConfigPlanChecks: user("update groups")},
			{Config: config("gid = 3100", full), PreConfig: by("rm", "-r", "/srv/homes/al"), ConfigPlanChecks: user("update create_home")},
			{Config: config("gid = 3100", full+"\nlocked = false"), ConfigPlanChecks: user("update locked")},
			{Config: config("gid = 3100", full+"\npassword_hash = \""+hashOne+"\"\nlocked = true"), ConfigPlanChecks: user("update locked password_hash")},
			{Config: config("gid = 3100", full+"\npassword_hash = \""+hashOne+"\"\nlocked = true"), PreConfig: by("passwd", "-u", "al"), ConfigPlanChecks: user("update locked")},
			{Config: config("gid = 3100", full), PreConfig: by("deluser", "al"), ConfigPlanChecks: user("create")},
			{ResourceName: "posix_user.al", ImportState: true, ImportStateId: "al", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"remove_home"}},
			{Config: config("gid = 3100", strings.ReplaceAll(full, "3001", "3002")), ExpectError: resourcetest.WrappedText("has no usermod")},
			{Config: config("gid = 3101", full), ExpectError: resourcetest.WrappedText("has no groupmod")},
			{Config: config("gid = 3100\nmembers = [\"al\", \"games\"]", full), ConfigPlanChecks: plans(resourcetest.Changes{"posix_group.ops": "update members"})},
			{Config: config("gid = 3100\nmembers = [\"al\"]", full), ConfigPlanChecks: plans(resourcetest.Changes{"posix_group.ops": "update members"})},
			{Config: ops, PreConfig: by("chown", "0", "/srv/homes/al")}, // the provider keeps a home directory with a different owner
			{Config: ops + one("user", `name = "svc"; system = true; create_home = false; shell = "/sbin/nologin"; group = tostring(posix_group.ops.gid)`)},
			{Config: one("user", `name = "svc"; system = true; create_home = false; shell = "/sbin/nologin"; group = "3100"`), ExpectError: resourcetest.WrappedText("it is the primary group of svc")},
			{Config: ops},
			{Config: "# nothing\n"},
			{Config: one("user", `name = "svc2"; system = true; remove_home = true`), Check: resource.TestCheckResourceAttr("posix_user.it", "group", "svc2")},
		},
	})
}

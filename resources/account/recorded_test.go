package account_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedAccounts creates, changes, repairs, imports and destroys a group and a user
// on a recorded host.
func TestRecordedAccounts(t *testing.T) {
	h := resourcetest.Record(t, transcript.Options{
		ReadOnly: isReadOnly,
		Versions: [][]string{{"dpkg-query", "-W", "-f", "${Package} ${Version}\n", "passwd"}},
	})
	config := func(group, user string) string {
		return fmt.Sprintf("resource \"posix_group\" \"it\" {\n  name = \"recorded\"\n%s\n}\nresource \"posix_user\" \"it\" {\n  name = \"recorded\"\n  group = posix_group.it.name\n%s\n}\n", group, user)
	}
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	plans := func(group, user string) resource.ConfigPlanChecks {
		want := resourcetest.Changes{"posix_group.it": group, "posix_user.it": user}
		for address, change := range want {
			if change == "" {
				delete(want, address)
			}
		}
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{want}}
	}
	first := config("gid = 4100", "uid = 4100\ncomment = \"É\"\ngroups = [\"games\"]\npassword_hash = \""+hashOne+"\"")
	second := config("gid = 4101\nmembers = [\"games\"]", "uid = 4101\ncomment = \"Two\"\ngroups = [\"tty\"]\nshell = \"/bin/bash\"\nexpires = \"2031-02-03\"\nlocked = true\npassword_hash = \""+hashTwo+"\"\nremove_home = true")
	imported := func(address string, ignore ...string) resource.TestStep {
		return resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: "recorded",
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: ignore,
		}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config("gid = 0", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("GID 0 belongs to the group root")},
			{Config: config("", "uid = 0"), PlanOnly: true, ExpectError: resourcetest.WrappedText("UID 0 belongs to the user root")},
			{Config: first, Check: resourcetest.Check(h.Does("getent passwd recorded | grep -x recorded:x:4100:4100:É:/home/recorded:/bin/sh; test -f /home/recorded/.profile"))},
			{
				Config: second, ConfigPlanChecks: plans("update gid members", "update comment expires groups locked password_hash remove_home shell uid"),
				Check: resourcetest.Check(h.Does("id recorded | grep -x 'uid=4101(recorded) gid=4101(recorded) groups=4101(recorded),5(tty)'; getent group recorded | grep -x recorded:x:4101:games")),
			},
			{Config: second, PreConfig: by("usermod -c Other -G '' recorded; gpasswd -d games recorded"), ConfigPlanChecks: plans("update members", "update comment groups")},
			{Config: second, PreConfig: by("usermod -U recorded; rm -r /home/recorded"), ConfigPlanChecks: plans("", "update create_home locked")},
			{Config: second, PreConfig: by("userdel -r recorded"), ConfigPlanChecks: plans("", "create")},
			imported("posix_group.it"),
			imported("posix_user.it", "locked", "password_hash", "remove_home"),
		},
		CheckDestroy: func(*terraform.State) error {
			return h.Does("test -z \"$(getent passwd recorded; getent group recorded; ls -d /home/recorded 2>/dev/null)\"")()
		},
	})
}

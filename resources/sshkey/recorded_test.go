package sshkey_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedKey adds, changes, repairs, imports and removes a key.
func TestRecordedKey(t *testing.T) {
	const (
		one  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP4qtV4xJBOHQtcRxNTd5Se6KU2ZZVLqC9qvzBDjBGgJ"
		file = "/home/recorded/.ssh/authorized_keys"
	)
	const user, uid = "recorded", 4100
	if transcript.Recording() {
		roottest.Require(t)
		run(t, "useradd", "-m", "-u", "4100", "-p", "*", user)
	}
	h := resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool { return len(args) > 6 && !strings.Contains(args[6], "mkdir") },
		Host:     memory.Config{Users: []host.User{{Name: user, UID: uid, GID: uid, Home: "/home/recorded"}}},
	})
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	has := func(want string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("test \"$(cat " + file + ")\" = '" + want + "'; test \"$(stat -c '%U %a' " + file + ")\" = 'recorded 600'"))
	}
	second := config(user, one+" two", `options = ["restrict", "pty"]`)
	is := has("restrict,pty " + one + " two")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config(user, "ssh-ed25519", ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("a public key must have a type and base64")},
			{Config: config("nobody-else", one, ""), ExpectError: resourcetest.WrappedText(`"nobody-else" on host local: the user does not exist. Create the user first`)},
			{Config: config(user, one+" one", ""), Check: has(one + " one")},
			{Config: second, ConfigPlanChecks: plans("update key options"), Check: is},
			{Config: second, PreConfig: by("sed -i s/two/other/ " + file), ConfigPlanChecks: plans("update key"), Check: is},
			{Config: second, PreConfig: by("sed -i s/restrict,// " + file), ConfigPlanChecks: plans("update options"), Check: is},
			{Config: second, PreConfig: by("chmod 666 " + file), ConfigPlanChecks: plans("update intact"), Check: is},
			{Config: second, PreConfig: by("rm -r /home/recorded/.ssh"), ConfigPlanChecks: plans("create"), Check: is},
			{
				ResourceName: "posix_authorized_key.it", ImportState: true, ImportStateId: user + "/" + fingerprint(t, one),
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "fingerprint",
			},
		},
		CheckDestroy: func(*terraform.State) error { return h.Does("test ! -s " + file)() },
	})
}

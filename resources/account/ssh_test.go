package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestOverSSH manages a user over SSH with sudo, and checks the error without sudo.
func TestOverSSH(t *testing.T) {
	roottest.Require(t)
	root := roottest.Start(t, roottest.Options{Packages: []string{"sudo"}})
	root.Run(t, "useradd", "-m", "op")
	root.Run(t, "sh", "-ec", `mkdir /home/op/.ssh
cp /root/.ssh/authorized_keys /home/op/.ssh/
chown -R op: /home/op/.ssh
usermod -p '*' op
echo 'op ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/op`)
	h := root.Host(t)
	config := func(sudo string) string {
		return fmt.Sprintf(`provider "posix" {
  ssh_config = "none"
  hosts = {
    web = {
      address          = %q
      port             = %d
      user             = "op"
      private_key_path = %q
      host_key         = [%q]
      %s
    }
  }
}

resource "posix_group" "far" {
  host = "web"
  name = "far"
}

resource "posix_user" "far" {
  host          = "web"
  name          = "away"
  group         = posix_group.far.name
  groups        = ["games"]
  comment       = "Far 'n \"away\" $(id) é"
  password_hash = %q
}
`, h.Address, h.Port, h.KeyFile, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(h.HostKey))), sudo, hashOne)
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", serve), Steps: []resource.TestStep{
		{Config: config(""), ExpectError: resourcetest.WrappedText("on host web the provider runs as another user: set sudo = {} for the host")},
		{Config: config("sudo = {}"), Check: func(*terraform.State) error {
			got := root.Run(t, "getent", "passwd", "away") + root.Run(t, "id", "-Gn", "away") + root.Run(t, "getent", "shadow", "away")
			if !strings.Contains(got, `:Far 'n "away" $(id) é:/home/away:/bin/sh`) || !strings.Contains(got, "far games") || !strings.Contains(got, hashOne) {
				return fmt.Errorf("the user is %s", got)
			}
			return nil
		}},
		{Config: config("sudo = {}"), PlanOnly: true},
		{ResourceName: "posix_user.far", ImportState: true, ImportStateId: "web:away", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"password_hash"}},
	}})
}

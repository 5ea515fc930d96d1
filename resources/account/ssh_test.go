package account_test

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/account"
)

// startWithOp starts a test root with the user op, who may use sudo.
func startWithOp(t *testing.T) *roottest.Root {
	t.Helper()
	root := roottest.Start(t, roottest.Options{Packages: []string{"sudo"}})
	root.Run(t, "useradd", "-m", "op")
	root.Run(t, "sh", "-ec", `mkdir /home/op/.ssh
cp /root/.ssh/authorized_keys /home/op/.ssh/
chown -R op: /home/op/.ssh
usermod -p '*' op
echo 'op ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/op`)
	return root
}

// TestOverSSH manages a user over SSH with sudo, and checks the error without sudo.
func TestOverSSH(t *testing.T) {
	roottest.Require(t)
	root := startWithOp(t)
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
				return fmt.Errorf("the user is %s, want the configured comment, groups and hash", got)
			}
			return nil
		}},
		{Config: config("sudo = {}"), PlanOnly: true},
		{ResourceName: "posix_user.far", ImportState: true, ImportStateId: "web:away", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"password_hash"}},
	}})
}

// TestLostOverSSH resets the connection of a create after useradd, with and without sudo, and checks that the next
// create adopts the user.
func TestLostOverSSH(t *testing.T) {
	roottest.Require(t)
	root := startWithOp(t)
	root.Run(t, "sh", "-ec", `cat >/usr/local/sbin/useradd <<'END'
#!/bin/sh
/usr/sbin/useradd "$@" || exit
>/run/added
until [ -e /run/lost ]; do sleep 0.05; done
echo noise >&2
exit 0
END
chmod 755 /usr/local/sbin/useradd`)
	h := root.Host(t)
	line := nettest.Start(t, net.JoinHostPort(h.Address, strconv.Itoa(h.Port)), 0)
	address, port, _ := strings.Cut(line.Addr(), ":")
	number, err := strconv.Atoi(port)
	resourcetest.Must(t, err)
	for login, become := range map[string]*sshhost.Become{"root": nil, "op": {User: "root"}} {
		t.Run(login, func(t *testing.T) {
			web, err := sshhost.New(sshhost.Options{
				Name: "web", Address: address, Port: number, User: login, Become: become, Auth: sshhost.Auth{Keys: []sshhost.Key{{Path: h.KeyFile}}},
				Trust: sshhost.Trust{Policy: sshhost.Insecure}, ConnectTimeout: time.Minute, MaxSessions: 10,
			})
			resourcetest.Must(t, err)
			t.Cleanup(func() { _ = web.Close() })
			user := &account.User{Name: "of-" + login, PasswordHash: new(hashOne), CreateHome: new(false)}
			root.Run(t, "rm", "-f", "/run/added", "/run/lost")
			ended := make(chan error, 1)
			go func() {
				_, err := user.Create(t.Context(), resourcetest.Scope(t, web))
				ended <- err
			}()
			root.Run(t, "sh", "-c", "until [ -e /run/added ]; do sleep 0.05; done")
			line.Cut()
			if err := <-ended; !errors.Is(err, host.ErrLost) {
				t.Errorf("the error of the lost connection is %v, want %v", err, host.ErrLost)
			}
			root.Run(t, "sh", "-c", `>/run/lost; for i in $(seq 200); do grep -q '^of-'"$0"':\$6' /etc/shadow && break; sleep 0.05; done`, login)
			if _, err := user.Create(t.Context(), resourcetest.Scope(t, web)); err != nil {
				t.Errorf("the create after the lost connection failed: %v", err)
			}
		})
	}
}

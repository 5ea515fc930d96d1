package tunnel_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// The provider db of these tests connects to an address, sends the name of a row and receives
// its value.

type dbBlock struct{ Address string }

type dbRow struct{ Name string }

type dbRowOutput struct {
	Name  string
	Value string
}

func (r *dbRow) Read(ctx context.Context, address string) (*dbRowOutput, error) {
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // all data was read
	if _, err := fmt.Fprintln(conn, r.Name); err != nil {
		return nil, err
	}
	value, err := bufio.NewReader(conn).ReadString('\n')
	return &dbRowOutput{r.Name, value}, err
}

// TestAccTunnel connects another provider and a command through a tunnel on the local host.
func TestAccTunnel(t *testing.T) {
	t.Parallel()
	useTunnel(t, "local", "")
}

// TestAccTunnelOverSSH connects another provider and a command through a host behind a jump host.
func TestAccTunnelOverSSH(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	gate := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	inner := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	useTunnel(t, "web", fmt.Sprintf(`
provider "posix" {
  user             = %q
  private_key_path = %q
  ssh_config       = "none"
  hosts = {
    gate = { address = %q, port = %d, host_key = [%q] }
    web  = { address = %q, port = %d, host_key = [%q], proxy_jump = ["gate"] }
  }
}
`, me.Name, key.File(t, ""), gate.Host(), gate.Port(), ssh.FingerprintSHA256(gate.HostKey()), inner.Host(), inner.Port(), ssh.FingerprintSHA256(inner.HostKey())))
	// The provider opens one connection for each plan and each apply: the apply and the destroy may
	// each include a plan.
	if n := inner.Connections(); n < 3 || n > 6 {
		t.Errorf("%d connections for three commands, want 3 to 6", n)
	}
}

func useTunnel(t *testing.T, host, config string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: the command connects with its /dev/tcp")
	}
	w := newWorkdir(t)
	w.Serve(acctest.Namespace+"/db", func() (provider.Interface, error) {
		return runtime.New(runtime.Definition{
			Name:        "db",
			Config:      runtime.MakeConfig(func(_ context.Context, b *dbBlock) (string, error) { return b.Address, nil }),
			DataSources: map[string]runtime.DataSourceRegistration{"row": runtime.MakeDataSource[dbRow, *dbRowOutput, string]()},
		})
	})
	var asked atomic.Int64
	address := nettest.Serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		name, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil {
			asked.Add(1)
			_, _ = io.WriteString(conn, "the value of "+name) // the client detects missing data
		}
	})
	_, port, err := net.SplitHostPort(address.String())
	resourcetest.Must(t, err)
	w.Write("providers.tf", fmt.Sprintf(`
terraform {
  required_providers {
    posix = {
      source = "%[1]s/posix"
    }
    db = {
      source = "%[1]s/db"
    }
  }
}
`, acctest.Namespace))
	w.Write("main.tf", config+fmt.Sprintf(`
ephemeral "posix_tunnel" "db" {
  host        = %[3]q
  target_host = "127.0.0.1"
  target_port = %[1]s
}
provider "db" {
  address = ephemeral.posix_tunnel.db.address
}
data "db_row" "rows" {
  for_each = toset(["a", "b", "c", "d"])
  name     = each.key
}
resource "terraform_data" "after" {
  input = "x"
}
data "db_row" "late" {
  name = terraform_data.after.id
}
output "a" {
  value = data.db_row.rows["a"].value
}
# A command gets the port through a write-only attribute, since ephemeral values are not stored.
resource "posix_command" "there" {
  interpreter            = [%[2]q, "-c"]
  create                 = "exec 3<>/dev/tcp/127.0.0.1/$PORT && echo by hand >&3 && cat <&3"
  environment_wo         = { PORT = ephemeral.posix_tunnel.db.local_port }
  environment_wo_version = "1"
}
`, port, bash, host))
	resourcetest.WantTexts(t, w.Do(nil, "plan", "-no-color").Output, "ephemeral.posix_tunnel.db: Open complete", "ephemeral.posix_tunnel.db: Close complete", "the value of a")
	if n := asked.Load(); n != 4 {
		t.Errorf("%d requests during a plan, want 4", n)
	}
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, `a = <<-EOT the value of a EOT`)
	resourcetest.WantTexts(t, w.Do(nil, "state", "show", "-no-color", "data.db_row.late").Output, "the value of ")
	resourcetest.WantTexts(t, w.Do(nil, "state", "show", "-no-color", "posix_command.there").Output, `stdout = "the value of by hand"`)
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
}

package tunnel_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestTunnelsOverSSH opens tunnels through a host behind a jump host, and checks that they share one
// connection to each of these hosts.
func TestTunnelsOverSSH(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	gate := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	inner := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	on := func(s *sshdtest.Server, more attrs) attrs {
		set := attrs{"address": str(s.Host()), "port": cty.NumberIntVal(int64(s.Port())), "host_key": cty.ListVal([]cty.Value{str(ssh.FingerprintSHA256(s.HostKey()))})}
		maps.Copy(set, more)
		return set
	}
	f := resourcetest.NewFleet(t, resourcetest.Provider(types), attrs{
		"user": str(me.Name), "private_key_path": str(key.File(t, "")), "ssh_config": str("none"), "default_host": str("web"),
	}, map[string]attrs{"gate": on(gate, nil), "web": on(inner, attrs{"proxy_jump": cty.ListVal([]cty.Value{str("gate")})})})
	dir := resourcetest.TempDir(t)

	for _, address := range []attrs{to(nettest.Serve(t, "tcp", "127.0.0.1:0", echo)), to(nettest.Serve(t, "unix", filepath.Join(dir, "socket"), echo))} {
		q := resourcetest.NewEphemeral(t, f, "posix_tunnel")
		resourcetest.NoErrors(t, q.Open(address))
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				text := strings.Repeat(fmt.Sprintf("%d,", i), 20_000)
				if got, err := ask(at(q), text); err != nil || got != text {
					t.Errorf("received %d bytes, want %d (%v)", len(got), len(text), err)
				}
			})
		}
		all.Wait()
		if diags := q.Close(); len(diags) > 0 {
			t.Errorf("closing: %v, want no diagnostics", diags)
		}
		if _, err := ask(at(q), "x"); err == nil {
			t.Error("the closed tunnel accepts connections")
		}
	}
	q := resourcetest.NewEphemeral(t, f, "posix_tunnel")
	resourcetest.WantError(t, q.Open(attrs{"target_socket": str(filepath.Join(dir, "absent"))}), "", "connect to web:"+filepath.Join(dir, "absent"), "check = false")
	for name, s := range map[string]*sshdtest.Server{"gate": gate, "web": inner} {
		if n := s.Connections(); n != 1 {
			t.Errorf("%d connections to %s, want 1", n, name)
		}
	}
}

package resourcetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// SSHBlock returns the provider's configuration with hosts of these names, which
// all are one server. More has further hosts.
func SSHBlock(t *testing.T, server *sshdtest.Server, key sshdtest.Key, more string, names ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `
provider "posix" {
  user             = %q
  private_key_path = %q
  known_hosts      = [%q]
  ssh_config       = "none"
  hosts = {
`, sshdtest.Me().Name, key.File(t, ""), server.KnownHosts())
	for _, name := range names {
		fmt.Fprintf(&b, "    %s = { address = %q, port = %d }\n", name, server.Host(), server.Port())
	}
	return b.String() + more + "  }\n}\n"
}

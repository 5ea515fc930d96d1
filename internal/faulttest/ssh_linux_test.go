package faulttest_test

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// overSSH returns a configuration with a variable v and the provider, whose default host web is h.
func overSSH(h roottest.Host) string {
	return fmt.Sprintf(`
variable "v" {
  type = number
}
provider "posix" {
  ssh_config = "none"
  hosts = {
    web = {
      address          = %q
      port             = %d
      user             = "root"
      private_key_path = %q
      host_key         = [%q]
    }
  }
  default_host = "web"
}
`, h.Address, h.Port, h.KeyFile, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(h.HostKey))))
}

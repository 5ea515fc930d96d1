package hosts

import (
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
)

// withheld lists the prefixes of the variables of the provider's environment that a ProxyCommand does not
// get: the passwords and keys of hosts, variables and tokens of Terraform, and the plugin protocol.
var withheld = []string{"POSIX_", "TF_", "PLUGIN_"}

// proxyCommand returns the ProxyCommand of the SSH configuration; nil if there is none. It runs as the
// operator, whose tools need the operator's environment, such as that for a cloud.
func proxyCommand(env sshconfig.Env, ssh *sshconfig.Settings) *sshhost.ProxyCommand {
	if ssh.ProxyCommand == "" {
		return nil
	}
	at, _ := ssh.Where("proxycommand")
	return &sshhost.ProxyCommand{
		Command: ssh.ProxyCommand,
		Where:   at.String(),
		Env: slices.DeleteFunc(env.Environ(), func(variable string) bool {
			return slices.ContainsFunc(withheld, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
		}),
	}
}

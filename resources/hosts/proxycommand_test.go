package hosts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/hosts"
)

// TestProxyCommand checks which hosts are reached with the ProxyCommand of the SSH configuration, and
// the environment of that command.
func TestProxyCommand(t *testing.T) {
	t.Parallel()
	w := &world{
		ssh: "Host plain\nProxyCommand none\nHost jumped\nProxyJump gate\nHost *\nProxyCommand tunnel %h %p %r",
		env: map[string]string{
			"PATH": "/bin", "AWS_PROFILE": "me", "SHELL": "/bin/zsh", "POSIX_PASSWORD": "x", "POSIX_HOST_A_PASSWORD": "x", "TF_VAR_password": "x",
			"TF_TOKEN_example_com": "x", "TF_PLUGIN_MAGIC_COOKIE": "x", "PLUGIN_CLIENT_CERT": "x",
		},
	}
	jump := func(names ...string) hosts.Host {
		return hosts.Host{Settings: hosts.Settings{ProxyJump: list(names...)}}
	}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{
		"a": {Address: is("192.0.2.1"), Settings: hosts.Settings{Port: is(int64(2222)), User: is("root")}}, "direct": jump(), "behind": jump("a"), "chain": jump("a", "b"), "b": {},
	})})
	for name, want := range map[string]string{
		"a": "tunnel 192.0.2.1 2222 root", "b": "tunnel b 22 me", "root@c": "tunnel c 22 root", "plain": "", "jumped": "", "direct": "", "behind": "", "chain": "",
	} {
		command := find(t, h, name).options.ProxyCommand
		switch {
		case command == nil:
			if want != "" {
				t.Errorf("%s has no ProxyCommand, want %q", name, want)
			}
		case command.Command != want || !strings.HasSuffix(command.Where, "config:7"):
			t.Errorf("%s has the ProxyCommand %q of %s, want %q of config:7", name, command.Command, command.Where, want)
		default:
			slices.Sort(command.Env)
			if got := strings.Join(command.Env, " "); got != "AWS_PROFILE=me PATH=/bin SHELL=/bin/zsh" {
				t.Errorf("the environment is %s, want only AWS_PROFILE, PATH and SHELL", got)
			}
		}
	}
	for name, want := range map[string]string{"behind": "tunnel 192.0.2.1 2222 root", "jumped": "tunnel gate 22 me"} {
		if via := find(t, h, name).options.Via.(*memoryHost); via.options.ProxyCommand == nil || via.options.ProxyCommand.Command != want {
			t.Errorf("the jump host of %s has the ProxyCommand %+v, want %q", name, via.options.ProxyCommand, want)
		}
	}
	second := find(t, h, "chain").options.Via.(*memoryHost)
	if first := second.options.Via.(*memoryHost); second.options.ProxyCommand != nil || first.options.ProxyCommand == nil {
		t.Errorf("in a chain, the first jump host has the ProxyCommand %+v, and the second %+v, want a ProxyCommand for the first only", first.options.ProxyCommand, second.options.ProxyCommand)
	}
	refused(t, h, "$(x)@c", "not a valid")
}

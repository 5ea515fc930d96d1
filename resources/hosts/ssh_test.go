package hosts_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// knownHost returns the line of a server in a known_hosts file.
func knownHost(s *sshdtest.Server) string {
	return fmt.Sprintf("[%s]:%d %s", s.Host(), s.Port(), ssh.MarshalAuthorizedKey(s.HostKey()))
}

// TestOverSSH checks that the configured settings take effect with real SSH servers.
func TestOverSSH(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	gate := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	inner := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	dir := resourcetest.TempDir(t)
	keyFile, secretKeyFile := key.File(t, ""), key.File(t, "a passphrase")
	pem, err := key.PEM("")
	resourcetest.Must(t, err)
	at := func(s *sshdtest.Server, more attrs) attrs {
		set := attrs{"address": str(s.Host()), "port": cty.NumberIntVal(int64(s.Port()))}
		maps.Copy(set, more)
		return set
	}
	sshConfig, knownHosts, fresh := filepath.Join(dir, "config"), filepath.Join(dir, "known_hosts"), filepath.Join(dir, "accepted")
	resourcetest.Must(t,
		os.WriteFile(knownHosts, []byte(knownHost(gate)+knownHost(inner)), 0o600),
		os.WriteFile(sshConfig, fmt.Appendf(nil, "Host alias\nHostName %s\nPort %d\nProxyJump gateway\nHost gateway\nHostName %s\nPort %d\nProxyCommand none\n"+
			"Host *\nProxyCommand ssh -F '"+sshConfig+"' -o BatchMode=yes -W %%h:%%p gateway\nUser %s\nIdentityFile %s\nUserKnownHostsFile %s\n",
			inner.Host(), inner.Port(), gate.Host(), gate.Port(), me.Name, keyFile, knownHosts), 0o600))
	f := resourcetest.NewFleet(t, resourcetest.Provider(types), attrs{
		"user": str(me.Name), "private_key_path": str(keyFile), "ssh_config": str("none"), "known_hosts": strs(knownHost(gate), knownHost(inner)), "known_hosts_files": cty.ListValEmpty(cty.String),
	}, map[string]attrs{
		"gate":   at(gate, nil),
		"behind": at(inner, attrs{"proxy_jump": strs("gate")}),
		"pinned": at(inner, attrs{"host_key": strs(ssh.FingerprintSHA256(inner.HostKey())), "private_key": str(string(pem))}),
		"wrong":  at(inner, attrs{"host_key": strs(ssh.FingerprintSHA256(gate.HostKey())), "private_key_path": str(secretKeyFile), "passphrase": str("a passphrase")}),
		"locked": at(inner, attrs{"private_key_path": str(secretKeyFile), "passphrase": str("another one")}),
		"fresh":  at(inner, attrs{"known_hosts": cty.ListValEmpty(cty.String), "known_hosts_files": strs(fresh), "host_key_policy": str("accept_new")}),
		"nobody": at(inner, attrs{"known_hosts": cty.ListValEmpty(cty.String)}),
	})
	for _, name := range []string{"gate", "behind", "pinned", "fresh", fmt.Sprintf("%s@%s:%d", me.Name, inner.Host(), inner.Port())} {
		o := resourcetest.NewObject(t, f, "posix_file")
		path := filepath.Join(dir, strings.ReplaceAll(name, ":", "-"))
		o.Apply(attrs{"host": str(name), "path": str(path), "content": str(name), "mode": str("0640")})
		resourcetest.WantFile(t, path, name, 0o640)
		if diags := o.DeleteNow(); diags.HasErrors() {
			t.Error(diags)
		}
	}
	if text, err := os.ReadFile(fresh); err != nil || !strings.Contains(string(text), strings.Fields(knownHost(inner))[2]) {
		t.Errorf("the accepted host key is not in the file: %q (%v)", text, err)
	}
	for name, want := range map[string]string{"wrong": "host key", "nobody": "host key", "locked": "passphrase"} {
		o := resourcetest.NewObject(t, f, "posix_file")
		path := filepath.Join(dir, name)
		set := attrs{"host": str(name), "path": str(path), "content": str("x")}
		plan := o.Plan(set)
		diags := plan.Diagnostics
		if !diags.HasErrors() {
			diags = o.ApplyPlan(set, plan)
		}
		if text := diags.Error(); !diags.HasErrors() || !strings.Contains(text, want) || !strings.Contains(text, name) || strings.Contains(text, "another one") {
			t.Errorf("the diagnostics of %s are %v, want an error with %q and the name of the host, without the passphrase", name, diags, want)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}

	before := gate.Connections()
	f = resourcetest.NewFleet(t, resourcetest.Provider(types), attrs{"ssh_config": str(sshConfig), "default_host": str("alias")}, nil)
	o := resourcetest.NewObject(t, f, "posix_directory")
	o.Apply(attrs{"path": str(filepath.Join(dir, "by-alias"))})
	o.WantAttrs(attrs{"host": str("alias")})
	o = resourcetest.NewObject(t, f, "posix_directory")
	tunnelled := fmt.Sprintf("%s:%d", inner.Host(), inner.Port())
	o.Apply(attrs{"host": str(tunnelled), "path": str(filepath.Join(dir, "by-command"))})
	resourcetest.WantMode(t, filepath.Join(dir, "by-command"), 0o755)
	if n := gate.Connections() - before; n != 2 {
		t.Errorf("%d connections to the gateway, want 1 as a jump host and 1 of the ProxyCommand", n)
	}
}

package hosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// defaultOptions returns the options of the host web without configuration, changed by a
// function. HOME stands for the user's home directory.
func defaultOptions(change func(*sshhost.Options)) sshhost.Options {
	o := sshhost.Options{
		Name: "web", Address: "web", Port: 22, User: "me",
		Auth: sshhost.Auth{Keys: []sshhost.Key{
			{Path: "HOME/.ssh/id_ed25519", Implicit: true}, {Path: "HOME/.ssh/id_ecdsa", Implicit: true}, {Path: "HOME/.ssh/id_rsa", Implicit: true},
		}},
		Trust: sshhost.Trust{
			Policy: sshhost.Strict,
			Files:  []string{"HOME/.ssh/known_hosts", "HOME/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"},
		},
		ConnectTimeout: 20 * time.Second, Retries: 5, KeepAlive: 15 * time.Second, KeepAliveCount: 3, MaxSessions: 10,
	}
	change(&o)
	return o
}

// only returns a function that makes k the only key.
func only(k sshhost.Key) func(*sshhost.Options) {
	return func(o *sshhost.Options) { o.Auth.Keys = []sshhost.Key{k} }
}

func secret(text string) *sshhost.Secret { return new(sshhost.Secret(text)) }

func TestOptions(t *testing.T) {
	t.Parallel()
	type (
		settings = hosts.Settings
		envs     = map[string]string
	)
	for name, tt := range map[string]struct {
		host hosts.Host // configuration of the host web
		all  settings
		env  envs
		ssh  string // SSH configuration of the user
		want func(*sshhost.Options)
	}{
		"nothing set": {want: func(*sshhost.Options) {}},
		"everything set": {
			host: hosts.Host{
				Address: is("192.0.2.7"), HostKey: list("SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
				Settings: settings{
					User: is("root"), Port: is(int64(2222)), PrivateKeyPath: is("~/key"), Passphrase: is("pass"), CertificatePath: is("~/cert"),
					Password: is("word"), Agent: is(true), AgentSocket: is("~/agent"), HostKeyPolicy: is("accept_new"), KnownHosts: list("# none"),
					KnownHostsFiles: list("~/kh", "/kh"), SSHConfig: is("none"), Sudo: is(hosts.Sudo{User: is("app"), Password: is("sudo")}),
					ConnectTimeout: is(runtime.Duration(time.Second)), ConnectRetries: is(int64(1)), KeepAlive: is(runtime.Duration(0)),
					KeepAliveCount: is(int64(7)), MaxSessions: is(int64(2)), ProxyJump: list(),
				},
			},
			ssh: "User other\nPort 1\nProxyJump other", env: envs{"POSIX_PASSWORD": "not this"},
			want: func(o *sshhost.Options) {
				*o = sshhost.Options{
					Name: "web", Address: "192.0.2.7", Port: 2222, User: "root",
					Auth: sshhost.Auth{
						Keys:  []sshhost.Key{{Path: "HOME/key", Passphrase: secret("pass"), CertificatePath: "HOME/cert"}},
						Agent: "HOME/agent", Password: secret("word"),
					},
					Trust: sshhost.Trust{
						Policy: sshhost.AcceptNew, Pinned: []string{"SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"},
						Known: []string{"# none"}, Files: []string{"HOME/kh", "/kh"},
					},
					Become:         &sshhost.Become{User: "app", Password: secret("sudo")},
					ConnectTimeout: time.Second, Retries: 1, KeepAliveCount: 7, MaxSessions: 2,
				}
			},
		},
		"provider": {
			all: settings{User: is("root"), PrivateKey: is("text"), Sudo: is(hosts.Sudo{}), MaxSessions: is(int64(1))},
			want: func(o *sshhost.Options) {
				only(sshhost.Key{Text: "text"})(o)
				o.User, o.Become, o.MaxSessions = "root", &sshhost.Become{User: "root"}, 1
			},
		},
		"host over provider": {
			host: hosts.Host{Settings: settings{User: is("a"), PrivateKeyPath: is("/a"), Agent: is(false), KnownHosts: list()}},
			all:  settings{User: is("b"), PrivateKey: is("b"), AgentSocket: is("/b"), Passphrase: is("b"), KnownHosts: list("# b")},
			want: func(o *sshhost.Options) {
				only(sshhost.Key{Path: "/a", Passphrase: secret("b")})(o)
				o.User, o.Trust.Known = "a", []string{}
			},
		},
		"provider over SSH configuration": {
			all: settings{User: is("b"), Port: is(int64(3)), ConnectTimeout: is(runtime.Duration(time.Minute)), KnownHostsFiles: list()},
			ssh: "User c\nPort 4\nConnectTimeout 5\nUserKnownHostsFile /c",
			want: func(o *sshhost.Options) {
				o.User, o.Port, o.ConnectTimeout, o.Trust.Files = "b", 3, time.Minute, []string{}
			},
		},
		"the SSH configuration": {
			ssh: "HostName real.example.com\nUser c\nPort 4\nIdentityFile ~/.ssh/%h\nIdentitiesOnly yes\nIdentityAgent ~/agent\nCertificateFile /cert\n" +
				"UserKnownHostsFile /c\nGlobalKnownHostsFile none\nHostKeyAlias alias\nHostKeyAlgorithms +ssh-rsa,x\nStrictHostKeyChecking accept-new\n" +
				"ConnectTimeout 7\nServerAliveInterval 8\nServerAliveCountMax 9",
			want: func(o *sshhost.Options) {
				o.Address, o.User, o.Port = "real.example.com", "c", 4
				o.Auth = sshhost.Auth{
					Keys: []sshhost.Key{
						{Path: "HOME/.ssh/real.example.com", Implicit: true, CertificatePath: "/cert"}, {Path: "HOME/.ssh/real.example.com", Implicit: true},
					},
					Agent: "HOME/agent", AgentKeysOnly: true,
				}
				o.Trust = sshhost.Trust{Policy: sshhost.AcceptNew, Files: []string{"/c"}, Alias: "alias", Algorithms: []string{"+ssh-rsa", "x"}}
				o.ConnectTimeout, o.KeepAlive, o.KeepAliveCount = 7*time.Second, 8*time.Second, 9
			},
		},
		"accept-new without a file of the user": {
			ssh: "UserKnownHostsFile none\nGlobalKnownHostsFile /g\nStrictHostKeyChecking accept-new",
			want: func(o *sshhost.Options) {
				o.Trust.Policy, o.Trust.Files = sshhost.AcceptNew, []string{os.DevNull, "/g"}
			},
		},
		"keepalive disabled": {ssh: "ServerAliveInterval 0\nServerAliveCountMax 0", want: func(o *sshhost.Options) { o.KeepAlive, o.KeepAliveCount = 0, 1 }},
		"SSH configuration of the address": {
			host: hosts.Host{Address: is("db")}, ssh: "Host db\nPort 7\nHost web\nPort 8",
			want: func(o *sshhost.Options) { o.Address, o.Port = "db", 7 },
		},
		"another SSH configuration": {
			host: hosts.Host{Settings: settings{SSHConfig: is("none")}}, all: settings{SSHConfig: is("/not/there")}, ssh: "Port 7",
			want: func(*sshhost.Options) {},
		},
		"IPv6 address":       {host: hosts.Host{Address: is("[fe80::1]")}, want: func(o *sshhost.Options) { o.Address = "fe80::1" }},
		"agent":              {env: envs{"SSH_AUTH_SOCK": "/agent"}, want: func(o *sshhost.Options) { o.Auth.Agent = "/agent" }},
		"agent = false":      {env: envs{"SSH_AUTH_SOCK": "/agent"}, all: settings{Agent: is(false)}, want: func(*sshhost.Options) {}},
		"IdentityAgent none": {env: envs{"SSH_AUTH_SOCK": "/agent"}, ssh: "IdentityAgent none", want: func(*sshhost.Options) {}},
		"key and agent": {
			env: envs{"SSH_AUTH_SOCK": "/agent"}, host: hosts.Host{Settings: settings{PrivateKey: is("k"), Agent: is(true)}},
			want: func(o *sshhost.Options) { only(sshhost.Key{Text: "k"})(o); o.Auth.Agent = "/agent" },
		},
		"agent_socket of host over agent = false of provider": {
			host: hosts.Host{Settings: settings{AgentSocket: is("/mine")}}, all: settings{Agent: is(false)},
			want: func(o *sshhost.Options) { o.Auth.Agent = "/mine" },
		},
		"agent = true of host with agent_socket of provider": {
			env: envs{"SSH_AUTH_SOCK": "/agent"}, host: hosts.Host{Settings: settings{Agent: is(true)}}, all: settings{AgentSocket: is("/theirs")},
			want: func(o *sshhost.Options) { o.Auth.Agent = "/theirs" },
		},
		"only a key": {env: envs{"SSH_AUTH_SOCK": "/agent"}, all: settings{PrivateKey: is("k")}, ssh: "IdentityFile /i", want: only(sshhost.Key{Text: "k"})},
		"only a password": {
			env: envs{"SSH_AUTH_SOCK": "/agent"}, all: settings{Password: is("p")}, ssh: "IdentityFile /i",
			want: func(o *sshhost.Options) { o.Auth = sshhost.Auth{Password: secret("p")} },
		},
		"no keys": {ssh: "IdentityFile none", want: func(o *sshhost.Options) { o.Auth.Keys = nil }},
		"certificate of the default key": {
			ssh: "IdentityFile /i\nCertificateFile /not/this", host: hosts.Host{Settings: settings{Certificate: is("c")}}, all: settings{CertificatePath: is("/d")},
			want: only(sshhost.Key{Path: "/i", Implicit: true, Certificate: "c"}),
		},
		"the environment": {
			env: envs{"POSIX_PASSWORD": "all", "POSIX_HOST_WEB_PASSWORD": "web", "POSIX_PRIVATE_KEY_PATH": "~/all", "POSIX_PASSPHRASE": "phrase", "POSIX_SUDO_PASSWORD": "sudo"},
			all: settings{Sudo: is(hosts.Sudo{})},
			want: func(o *sshhost.Options) {
				o.Auth = sshhost.Auth{Password: secret("web"), Keys: []sshhost.Key{{Path: "HOME/all", Passphrase: secret("phrase")}}}
				o.Become = &sshhost.Become{User: "root", Password: secret("sudo")}
			},
		},
		"environment of host over provider": {
			env: envs{"POSIX_HOST_WEB_PASSWORD": "web", "POSIX_HOST_WEB_PRIVATE_KEY": "k"}, all: settings{Password: is("all"), PrivateKeyPath: is("/all")},
			want: func(o *sshhost.Options) {
				o.Auth = sshhost.Auth{Password: secret("web"), Keys: []sshhost.Key{{Text: "k"}}}
			},
		},
		"host over its environment": {
			env: envs{"POSIX_HOST_WEB_PASSWORD": "env", "POSIX_HOST_WEB_PRIVATE_KEY": "env"}, host: hosts.Host{Settings: settings{Password: is("set"), PrivateKeyPath: is("/set")}},
			want: func(o *sshhost.Options) {
				o.Auth = sshhost.Auth{Password: secret("set"), Keys: []sshhost.Key{{Path: "/set"}}}
			},
		},
		"empty variable":             {env: envs{"POSIX_PASSWORD": ""}, want: func(*sshhost.Options) {}},
		"empty password":             {all: settings{Password: is("")}, want: func(o *sshhost.Options) { o.Auth = sshhost.Auth{Password: secret("")} }},
		"only a sudo password":       {env: envs{"POSIX_SUDO_PASSWORD": "sudo"}, want: func(*sshhost.Options) {}},
		"sudo disabled for the host": {host: hosts.Host{Settings: settings{Sudo: is(hosts.Sudo{Enabled: is(false)})}}, all: settings{Sudo: is(hosts.Sudo{})}, want: func(*sshhost.Options) {}},
		"sudo of both": {
			host: hosts.Host{Settings: settings{Sudo: is(hosts.Sudo{User: is("app")})}}, all: settings{Sudo: is(hosts.Sudo{User: is("root"), Password: is("p")})},
			want: func(o *sshhost.Options) { o.Become = &sshhost.Become{User: "app", Password: secret("p")} },
		},
		"host_key over SSH configuration": {
			host: hosts.Host{HostKey: list("SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")}, ssh: "StrictHostKeyChecking no",
			want: func(o *sshhost.Options) {
				o.Trust.Pinned = []string{"SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}
			},
		},
		"insecure policy":                      {all: settings{HostKeyPolicy: is("insecure")}, want: func(o *sshhost.Options) { o.Trust.Policy = sshhost.Insecure }},
		"strict policy over SSH configuration": {all: settings{HostKeyPolicy: is("strict")}, ssh: "StrictHostKeyChecking no", want: func(*sshhost.Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{env: tt.env, ssh: tt.ssh}
			h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{"web": tt.host}), Settings: tt.all})
			got := find(t, h, "web").options
			want := defaultOptions(tt.want)
			for _, o := range []*sshhost.Options{&want, &got} {
				o.Auth.Agent = atHome(o.Auth.Agent, w.home)
				for i := range o.Auth.Keys {
					k := &o.Auth.Keys[i]
					k.Path, k.CertificatePath = atHome(k.Path, w.home), atHome(k.CertificatePath, w.home)
				}
				for i := range o.Trust.Files {
					o.Trust.Files[i] = atHome(o.Trust.Files[i], w.home)
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(sshhost.Options{}, "Slots"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

// atHome returns path, in which home replaces a leading HOME.
func atHome(path, home string) string {
	if below, ok := strings.CutPrefix(path, "HOME/"); ok {
		return filepath.Join(home, below)
	}
	return path
}

package sshconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
)

// env returns the environment of a user whose home is a temporary directory.
func env(t *testing.T) sshconfig.Env {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	return sshconfig.Env{User: "me", UID: "1000", Home: home, HostName: "here.example.com", Getenv: func(name string) (string, bool) {
		value, ok := map[string]string{"KEYS": "/keys", "AGENT": "/run/agent", "EMPTY": ""}[name]
		return value, ok
	}}
}

func resolve(t *testing.T, text string, q sshconfig.Query) (*sshconfig.Settings, error) {
	t.Helper()
	e := env(t)
	return sshconfig.File(e, write(t, filepath.Join(e.Home, "file"), text)).Resolve(q)
}

// TestRefused checks that unsupported and invalid settings are errors with their position if
// they apply to the host, and only then.
func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Port 1\nProxyCommand nc %d":                  "file:2: ProxyCommand: the token %d is not supported",
		"HostName a;b\nProxyCommand nc -x '%h'":       `file:2: ProxyCommand: the value "a;b" of %h has characters that a shell may interpret`,
		"User $(x)\nProxyCommand nc %r":               `the value "$(x)" of %r`,
		"User -x\nProxyCommand nc %r":                 `the value "-x" of %r`,
		"ProxyCommand":                                "file:1: proxycommand has no argument",
		"Match exec \"true\"\nPort 1":                 "file:1: Match exec would run a command",
		"Match !exec true":                            "file:1",
		"Match host web exec true":                    "file:1",
		"Match localnetwork 10.0.0.0/8":               `file:1: the criterion "localnetwork"`,
		"Match tagged x":                              `"tagged"`,
		"Match host 'web'":                            "single quotes",
		"CanonicalizeHostname yes":                    "file:1: canonicalizehostname is not supported",
		"CanonicalizeHostname always":                 "file:1",
		"RevokedHostKeys /x":                          "would be trusted",
		"Port x":                                      `port "x"`,
		"Port 65536":                                  "65536",
		"Port 1 2":                                    "one argument",
		"User":                                        "file:1: user has no argument",
		"User \"\"":                                   "empty",
		"User %u":                                     "tokens",
		"User \"x":                                    "quotation mark",
		"HostName %p":                                 "%p",
		"HostName a%":                                 "letter",
		"IdentityFile /%C":                            "file:1: identityfile: the token %C",
		"Port 3\nIdentityFile ${NOT_SET}/x":           "file:2: identityfile: the environment variable NOT_SET",
		"IdentityFile ${":                             "}",
		"UserKnownHostsFile none /a":                  "none cannot be combined",
		"StrictHostKeyChecking perhaps":               "accept-new",
		"IdentitiesOnly 1":                            "yes or no",
		"ServerAliveCountMax -1":                      "number",
		"ConnectTimeout 1y":                           "1m30s",
		"ConnectTimeout 99999999w":                    "1m30s",
		"ProxyJump a,,b":                              "empty",
		"ProxyJump \"a\"":                             "quotes",
		"ProxyJump %h":                                "tokens",
		"Match all host web":                          "all cannot be combined",
		"Match host":                                  "needs an argument",
		"Match #":                                     "no criterion",
		"Host \"\"":                                   "empty",
		"Include ~/x/%h":                              "tokens",
		"Include ~nobody-of-this-name/x":              "file:1",
		"Include " + strings.Repeat("[", 3):           "Include",
		"Port 0\nHost other\nPort x":                  "file:1",
		"Host web\nProxyCommand x%":                   "file:2",
		"Host other\nHost web\nMatch user me exec ls": "file:3",
	} {
		_, err := resolve(t, text, sshconfig.Query{Host: "web"})
		positioned, ok := errors.AsType[*sshconfig.Error](err)
		if !ok || !strings.Contains(err.Error(), want) || positioned.At.Line == 0 {
			t.Errorf("%q: %v, want an error with a position and %q", text, err, want)
		}
	}
	for _, text := range []string{
		"Host other\nProxyCommand nc\nMatch host other exec true\nHost other\nPort x\nCanonicalizeHostname yes\nUser \"",
		"ProxyJump a\nProxyCommand nc %d", "ProxyCommand none", "HostName a;b\nProxyCommand nc %%h", "CanonicalizeHostname no\nCanonicalizeHostname yes",
		"Match host other localnetwork 10.0.0.0/8", "SomethingNew \"x", "Match user root exec x",
	} {
		if _, err := resolve(t, text, sshconfig.Query{Host: "web"}); err != nil {
			t.Errorf("%q: error %v, want nil", text, err)
		}
	}
}

// TestExpanded tests settings that ssh -G does not expand, or that the installed version
// of ssh may lack.
func TestExpanded(t *testing.T) {
	t.Parallel()
	e := env(t)
	text := `Host web
  HostName Web.Example.COM
  Port 2222
  IdentityFile ~/.ssh/%h-%n-%p-%r-%u-%i-%k-%l-%L-%j-%%
  IdentityFile %d/.ssh/x
  CertificateFile ${KEYS}/%h
  IdentityAgent ~/%n.sock
  ProxyJump a,b
  HostKeyAlias alias
  HostKeyAlgorithms ^ssh-ed25519*,rsa-*
`
	got, err := sshconfig.File(e, write(t, filepath.Join(e.Home, "f"), text)).Resolve(sshconfig.Query{Host: "web", User: "joe", Port: 33})
	if err != nil {
		t.Fatal(err)
	}
	want := &sshconfig.Settings{
		Listed: true, HostName: "web.example.com", Port: 2222,
		IdentityFiles:    []string{e.Home + "/.ssh/web.example.com-web-33-joe-me-1000-alias-here.example.com-here-a,b-%", e.Home + "/.ssh/x"},
		CertificateFiles: []string{"/keys/web.example.com"}, IdentityAgent: e.Home + "/web.sock",
		ProxyJump: []string{"a", "b"}, HostKeyAlias: "alias", HostKeyAlgorithms: []string{"^ssh-ed25519*", "rsa-*"},
		ServerAliveInterval: -1, ServerAliveCountMax: -1, ConnectTimeout: -1,
	}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "where" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if at, ok := got.Where("identityfile"); !ok || at.Line != 4 {
		t.Errorf("the position of the first IdentityFile is %v, want line 4", at)
	}
	if _, ok := got.Where("user"); ok {
		t.Error("User has a position although it is not in the file")
	}
	for agent, want := range map[string]string{
		"none": sshconfig.NoAgent, "SSH_AUTH_SOCK": "", "$AGENT": "/run/agent", "$EMPTY": sshconfig.NoAgent, "$MISSING": sshconfig.NoAgent,
		"${KEYS}/%r": "/keys/joe", "\"/a b\"": "/a b",
	} {
		got, err := resolve(t, "IdentityAgent "+agent, sshconfig.Query{Host: "web", User: "joe"})
		if err != nil || got.IdentityAgent != want {
			t.Errorf("IdentityAgent %s: %q (%v), want %q", agent, got.IdentityAgent, err, want)
		}
	}
}

// TestListed checks that Listed is true if and only if a Host or Match line matches the host by a pattern for its
// name that does not consist only of asterisks.
func TestListed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                           false,
		"Host *\nPort 1":             false,
		"Host **":                    false,
		"Host web":                   true,
		"Host db web":                true,
		"Host w*":                    true,
		"Host * !web":                false,
		"Host !db":                   false,
		"Host web !w*":               false,
		"Match host web":             true,
		"Match originalhost web,x":   true,
		"Match host *":               false,
		"Match !host db":             false,
		"Match user me":              false,
		"Match host web user nobody": false,
		"Match all":                  false,
		"Host db\nHostName web":      false,
	} {
		got, err := resolve(t, text, sshconfig.Query{Host: "web"})
		if err != nil || got.Listed != want {
			t.Errorf("%q: listed %t (%v), want %t", text, got.Listed, err, want)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	e := env(t)
	web := sshconfig.Query{Host: "web"}
	for name, c := range map[string]*sshconfig.Config{"none": sshconfig.None(e), "default": sshconfig.Default(e)} {
		if got, err := c.Resolve(web); err != nil || got.HostName != "web" || got.Port != 0 && name == "none" {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
	if _, err := sshconfig.File(e, filepath.Join(e.Home, "missing")).Resolve(web); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a configured file that is missing: error %v, want os.ErrNotExist", err)
	}
	if _, err := sshconfig.File(e, e.Home).Resolve(web); err == nil {
		t.Error("Resolve returned no error for a directory")
	}
	noHome := e
	noHome.Home = os.DevNull
	if _, err := sshconfig.Default(noHome).Resolve(web); err != nil {
		t.Errorf("a user without a home directory: error %v, want nil", err)
	}

	config := write(t, filepath.Join(e.Home, ".ssh", "config"), "Include conf.d/* \nInclude ~/more\nUser last\n")
	if err := os.Mkdir(filepath.Join(e.Home, ".ssh", "conf.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	part := write(t, filepath.Join(e.Home, ".ssh", "conf.d", "a"), "Host web\nPort 7\n")
	write(t, filepath.Join(e.Home, "more"), "HostKeyAlias more\n")
	got, err := sshconfig.Default(e).Resolve(web)
	if err != nil || got.Port != 7 || got.User != "last" || got.HostKeyAlias != "more" {
		t.Errorf("includes: %+v (%v)", got, err)
	}
	if at, _ := got.Where("port"); at.File != part || at.Line != 2 {
		t.Errorf("the position of Port is %v, want line 2 of %s", at, part)
	}
	// A user who can write the file could redirect connections.
	for _, path := range []string{config, part} {
		if err := os.Chmod(path, 0o620); err != nil {
			t.Fatal(err)
		}
		if _, err := sshconfig.Default(e).Resolve(web); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("%s is writable by others: error %v, want an error that names the file and chmod", path, err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, config, "Include config\n")
	if _, err := sshconfig.Default(e).Resolve(web); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("a file that includes itself: error %v, want an error that Include is nested too deeply", err)
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	e, err := sshconfig.Environ()
	if err != nil || e.User == "" || e.Home == "" || e.UID == "" || e.HostName == "" || e.Getenv == nil {
		t.Errorf("%+v (%v)", e, err)
	}
}

// TestProxyCommand checks the tokens in a ProxyCommand, and that a ProxyCommand from a file that other users can write is rejected.
func TestProxyCommand(t *testing.T) {
	t.Parallel()
	e := env(t)
	file := write(t, filepath.Join(e.Home, "file"), "Host web\nHostName Web-1.example.com\nProxyCommand  aws --target=%h --port '%p' %r@%n 100%% $X \"a  b\"\nHost plain\nPort 1\n")
	got, err := sshconfig.File(e, file).Resolve(sshconfig.Query{Host: "web", User: "root", Port: 2222})
	if want := `aws --target=web-1.example.com --port '2222' root@web 100% $X "a  b"`; err != nil || got.ProxyCommand != want {
		t.Errorf("ProxyCommand is %q (%v), want %q", got.ProxyCommand, err, want)
	}
	if at, ok := got.Where("proxycommand"); !ok || at.Line != 3 {
		t.Errorf("ProxyCommand is at %v (%t), want line 3", at, ok)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	config := sshconfig.File(e, file)
	if _, err := config.Resolve(sshconfig.Query{Host: "web"}); err == nil || !strings.Contains(err.Error(), "file:3: ProxyCommand is not run, because the file is writable by other users") {
		t.Errorf("a file that others can write: error %v, want an error about ProxyCommand", err)
	}
	if _, err := config.Resolve(sshconfig.Query{Host: "plain"}); err != nil {
		t.Errorf("a host without a ProxyCommand: error %v, want nil", err)
	}
	// This is not compared with ssh, because some versions ignore a command after ProxyJump none.
	after, err := resolve(t, "ProxyJump none\nProxyCommand nc\n", sshconfig.Query{Host: "web"})
	if err != nil || after.ProxyCommand != "nc" {
		t.Errorf("ProxyCommand after ProxyJump none is %q (%v), want \"nc\"", after.ProxyCommand, err)
	}
}

package sshconfig_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
)

// These tests compare Resolve with the real ssh. Their files do not contain Match exec, because
// ssh -G would run its command.

// openSSH returns the path of ssh on this host, or "" if PATH has no ssh.
var openSSH = sync.OnceValue(func() string {
	path, err := exec.LookPath("ssh")
	if err != nil {
		return ""
	}
	return path
})

func needOpenSSH(tb testing.TB) {
	tb.Helper()
	switch {
	case openSSH() != "":
	case os.Getenv("CI") != "":
		tb.Fatal("the test needs ssh: install openssh-client")
	default:
		tb.Skip("the test needs ssh: install openssh-client")
	}
}

// compared lists the keywords for which Resolve must return the values that ssh -G prints.
var compared = []string{
	"hostname", "user", "port", "identityfile", "certificatefile", "identitiesonly", "proxyjump", "proxycommand",
	"userknownhostsfile", "globalknownhostsfile", "hostkeyalias", "stricthostkeychecking",
	"serveraliveinterval", "serveralivecountmax", "connecttimeout",
}

// sshSettings returns the values of the compared keywords in the output of ssh -G; ok is false if ssh rejects
// the file.
func sshSettings(ctx context.Context, file, destination string) (settings map[string][]string, ok bool) {
	out, err := exec.CommandContext(ctx, openSSH(), "-G", "-T", "-F", file, "--", destination).Output()
	if err != nil {
		return nil, false
	}
	settings = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		keyword, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(compared, keyword) {
			settings[keyword] = append(settings[keyword], value)
		}
	}
	if slices.Equal(settings["proxyjump"], []string{"none"}) { // some versions treat none before a comment as a host
		delete(settings, "proxyjump")
	}
	for _, keyword := range []string{"identityfile", "certificatefile"} {
		for i, path := range settings[keyword] {
			if below, home := strings.CutPrefix(path, "~/"); home {
				settings[keyword][i] = filepath.Join(environ().Home, below)
			}
		}
		settings[keyword] = slices.DeleteFunc(settings[keyword], func(path string) bool { return path == "none" })
	}
	return settings, true
}

var environ = sync.OnceValue(func() sshconfig.Env {
	env, err := sshconfig.Environ()
	if err != nil {
		panic(err)
	}
	return env
})

// unset returns the settings of ssh without any configuration.
var unset = sync.OnceValue(func() map[string][]string {
	settings, _ := sshSettings(context.Background(), os.DevNull, "host.invalid")
	return settings
})

// format returns the result of Resolve in the format of ssh -G.
func format(s *sshconfig.Settings, q sshconfig.Query) map[string][]string {
	t := maps.Clone(unset())
	set := func(keyword, value string, is bool) {
		if is {
			t[keyword] = []string{value}
		}
	}
	list := func(keyword string, paths []string) {
		switch {
		case paths == nil:
		case len(paths) == 0:
			t[keyword] = []string{"none"}
		default:
			t[keyword] = []string{strings.Join(paths, " ")}
		}
	}
	set("hostname", s.HostName, true)
	set("user", s.User, s.User != "")
	set("user", q.User, q.User != "")
	set("port", strconv.Itoa(s.Port), s.Port != 0)
	if s.IdentityFiles != nil {
		t["identityfile"] = s.IdentityFiles
	}
	if s.CertificateFiles != nil {
		t["certificatefile"] = s.CertificateFiles
	}
	set("identitiesonly", "yes", s.IdentitiesOnly)
	set("proxyjump", strings.Join(s.ProxyJump, ","), len(s.ProxyJump) > 0)
	set("proxycommand", s.ProxyCommand, s.ProxyCommand != "")
	list("userknownhostsfile", s.UserKnownHostsFiles)
	list("globalknownhostsfile", s.GlobalKnownHostsFiles)
	set("hostkeyalias", s.HostKeyAlias, s.HostKeyAlias != "")
	strict := map[sshconfig.Strictness]string{sshconfig.StrictYes: "true", sshconfig.StrictOff: "false"}
	set("stricthostkeychecking", string(s.StrictHostKeyChecking), s.StrictHostKeyChecking != "")
	set("stricthostkeychecking", strict[s.StrictHostKeyChecking], strict[s.StrictHostKeyChecking] != "")
	set("serveraliveinterval", fmt.Sprint(int(s.ServerAliveInterval.Seconds())), s.ServerAliveInterval >= 0)
	set("serveralivecountmax", strconv.Itoa(s.ServerAliveCountMax), s.ServerAliveCountMax >= 0)
	set("connecttimeout", fmt.Sprint(int(s.ConnectTimeout.Seconds())), s.ConnectTimeout >= 0)
	return t
}

// query parses a destination such as root@web.
func query(destination string) sshconfig.Query {
	user, host, ok := strings.Cut(destination, "@")
	if !ok {
		return sshconfig.Query{Host: destination}
	}
	return sshconfig.Query{Host: host, User: user}
}

// compare checks that Resolve returns the same settings as ssh -G, if ssh accepts the file.
func compare(t *testing.T, file, destination string) {
	t.Helper()
	want, ok := sshSettings(t.Context(), file, destination)
	got, err := sshconfig.File(environ(), file).Resolve(query(destination))
	switch {
	case !ok:
	case err != nil:
		t.Errorf("%s: rejected, but ssh accepts it: %v\n%s", destination, err, content(t, file))
	default:
		if diff := cmp.Diff(want, format(got, query(destination)), ignoreEmpty); diff != "" {
			t.Errorf("%s (-ssh +got):\n%s\n%s", destination, diff, content(t, file))
		}
	}
}

var ignoreEmpty = cmp.Transformer("present", func(m map[string][]string) map[string]string {
	present := map[string]string{}
	for key, values := range m {
		if len(values) > 0 {
			present[key] = strings.Join(values, "\n")
		}
	}
	return present
})

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAgainstOpenSSH(t *testing.T) {
	t.Parallel()
	needOpenSSH(t)
	destinations := []string{"web", "WEB", "db.example.com", "root@web", "10.0.0.7", "fe80::1"}
	for name, text := range map[string]string{
		"empty":             "",
		"first wins":        "Port 1\nPort 2\nHost web\n Port 3\n User u\nHost *\n User v",
		"equals":            "Port=33\nUser = admin\nHostName\t=\t%h.example.org",
		"comments":          "# Port 1\n  # Port 2\nPort 3 # 4\nHostName a#b\n",
		"quotes":            `User "a b"` + "\n" + `IdentityFile '/x y/"z'` + "\n" + `CertificateFile /a\ b\"c` + "\n",
		"keyword in quotes": `"Port" 7`,
		"case":              "pORT 5\nhOSTNAME Foo.Example.COM\nHOST WEB\nUser big\nHost web\nUser small",
		"line endings":      "Port 3\r\n\r\nUser x  \t\f\r\nHost web\r\n  HostName y\r\n",
		"no last newline":   "Host web\n\tPort 4",
		"patterns":          "Host w*b !web\nPort 1\nHost ?eb\nPort 2\nHost *.example.*\nPort 3\nHost 10.0.0.?\nPort 4\nHost fe80::*\nPort 5",
		"only negated":      "Host !mail\nPort 1\n",
		"negated first":     "Host !web *\nPort 1\nHost * !web\nUser other\n",
		"commas in Host":    "Host web,db\nPort 1\n",
		"match all":         "Match all\nPort 9\nMatch !all\nUser never\n",
		"match host":        "Host web\nHostName web.example.com\nMatch host web.example.com\nPort 1\nMatch host web\nUser never\nMatch originalhost web\nHostKeyAlias w\n",
		"match lists":       "Match host !web,*\nPort 1\nMatch host web,db*\nUser u\nMatch originalhost !*\nPort 8",
		"match user":        "Match user root\nPort 1\nUser joe\nMatch user joe\nHostKeyAlias joe\nMatch !user root\nConnectTimeout 4\n",
		"match equals":      "Match host=web user=root\nPort 1\n",
		"match quotes":      "Match host \"web\" !user \"root\"\nPort 1\n",
		"match final":       "Host web\nUser early\nMatch final all\nUser late\nPort 3\nMatch final host web.*\nHostKeyAlias x\nHost web\nHostName web.example.com\n",
		"final by name":     "Match final\nConnectTimeout 3\nHost web\nHostName real\nHost real\nPort 7\nMatch originalhost WEB\nUser orig\n",
		"match not final":   "Match !final\nPort 1\nMatch final\nPort 2\nUser u\nIdentityFile /late\nMatch all\nIdentityFile /early\n",
		"match canonical":   "Match canonical\nPort 1\nMatch !canonical all\nPort 2\n",
		"identities":        "IdentityFile ~/.ssh/a\nIdentityFile ~/.ssh/b\nIdentityFile ~/.ssh/a\nHost web\nIdentityFile /c\nIdentitiesOnly yes\n",
		"no identities":     "IdentityFile none\n",
		"none and one":      "IdentityFile none\nIdentityFile /x",
		"known hosts":       "UserKnownHostsFile ~/kh /x/%h-%n-%p-%r-%% /${HOME}/kh\nUserKnownHostsFile /never\nGlobalKnownHostsFile /g1 /g2\n",
		"no known hosts":    "UserKnownHostsFile none\nGlobalKnownHostsFile none\n",
		"aliases in tokens": "Host web\nHostName real.example.com\nHostKeyAlias key\nUserKnownHostsFile /%h/%n/%k/%r\n",
		"strict":            "Host web\nStrictHostKeyChecking no\nHost db*\nStrictHostKeyChecking accept-new\nHost *\nStrictHostKeyChecking YES",
		"ask":               "StrictHostKeyChecking ask",
		"times":             "ServerAliveInterval 1m30\nConnectTimeout 1w2d3h4m5s\nServerAliveCountMax 0",
		"time none":         "ConnectTimeout none\nConnectTimeout 3\nServerAliveInterval none\nServerAliveInterval 0",
		"jump":              "Host web\nProxyJump a\nHost db*\nProxyJump root@a:33,[::1]:4,ssh://u@b:5\nHost *\nProxyJump none\n",
		"jump none":         "ProxyJump none\nProxyJump a\n",
		"jump NONE":         "ProxyJump NONE",
		"jump with none":    "ProxyJump a,none",
		"jump comment":      "ProxyJump a # b",
		"jump before":       "ProxyJump a\nProxyCommand nc %h %p\n",
		"command none":      "ProxyCommand none\nProxyJump a\n",
		"command":           "ProxyCommand=nc  -X \"a  b\" 'c' \\d '' # e  \nProxyCommand never\nProxyJump never",
		"host name":         "Host web\nHostName %h.example.com\nHost db*\nHostName %%h\nHost *\nHostName 192.0.2.1",
		"harmless":          "CanonicalizeHostname no\nRevokedHostKeys none\nForwardAgent yes\nLogLevel QUIET\nSendEnv LANG LC_*\n",
		"bad port":          "Port 0\n",
		"open quote":        "User \"a\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, filepath.Join(t.TempDir(), "config"), text)
			for _, destination := range destinations {
				compare(t, file, destination)
			}
		})
	}
}

func TestIncludeAgainstOpenSSH(t *testing.T) {
	t.Parallel()
	needOpenSSH(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "10-a.conf"), "Host web\nPort 1\nHost *\nUser a\n")
	write(t, filepath.Join(dir, "20-b.conf"), "User b\nIdentityFile /b\nMatch final\nConnectTimeout 3\n")
	write(t, filepath.Join(dir, "nested.inc"), "Host web\nInclude "+dir+"/*.conf\nHostKeyAlias inside\nHost *\nServerAliveInterval 7\n")
	for name, text := range map[string]string{
		"both":           "Include DIR/*.conf\nUser z\n",
		"order":          "Include DIR/20-b.conf DIR/10-a.conf\n",
		"under a host":   "Host db.example.com\nInclude DIR/10-a.conf\nPort 4\nHost *\nPort 5\n",
		"after it":       "Host web\nInclude DIR/10-a.conf\nConnectTimeout 9\n",
		"nested":         "Include DIR/nested.inc\nHostKeyAlias outside\n",
		"no such file":   "Include DIR/*.none DIR/none\nPort 6\n",
		"unmatched host": "Host never\nInclude DIR/20-b.conf\nHost *\nPort 7\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, filepath.Join(t.TempDir(), "config"), strings.ReplaceAll(text, "DIR", dir))
			for _, destination := range []string{"web", "db.example.com", "root@never"} {
				compare(t, file, destination)
			}
		})
	}
}

// words lists the words of fuzzed files.
var words = []string{
	"Host", "Match", "host", "originalhost", "user", "localuser", "all", "final", "canonical", "!", "web", "w*", "?eb", "*", "db.example.com",
	"!web", "root", "Port 1", "Port=2", "Port 0", "User u", "User root", "HostName real.example.com", "HostName %h.org", "IdentityFile /a",
	"IdentityFile none", "IdentitiesOnly yes", "ProxyJump a,b@c:4", "ProxyJump none", "UserKnownHostsFile /x/%n.%h.%p.%r /y", "HostKeyAlias k",
	"StrictHostKeyChecking no", "ConnectTimeout 1m", "ServerAliveInterval 3", "ServerAliveCountMax 9", "\n", "\n", "\n", "\r\n", " ", " ", "\t", "=",
	"\"", "#", "\\", "'", ",", "\nHost web\n", "\nHost *\n", "\nMatch host real.example.com\n", "\nMatch final\n", "\nMatch user u\n",
}

// FuzzAgainstOpenSSH builds files from words, and checks that Resolve returns the same settings as ssh -G,
// except for files that ssh or, on purpose, Resolve rejects.
func FuzzAgainstOpenSSH(f *testing.F) {
	needOpenSSH(f)
	for i := range 24 {
		seed := make([]byte, 40)
		for j := range seed {
			seed[j] = byte(i*97 + j*j*31 + i*j*7)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		var b strings.Builder
		for _, c := range choices {
			b.WriteString(words[int(c)%len(words)])
			b.WriteString([]string{"", " ", "\n"}[int(c)/len(words)%3])
		}
		file := write(t, filepath.Join(t.TempDir(), "config"), b.String())
		for _, destination := range []string{"web", "root@db.example.com"} {
			want, ok := sshSettings(t.Context(), file, destination)
			got, err := sshconfig.File(environ(), file).Resolve(query(destination))
			if !ok || onPurpose(err) {
				continue
			}
			if err != nil {
				t.Errorf("%s: rejected, but ssh accepts it: %v\n%s", destination, err, b.String())
			} else if diff := cmp.Diff(want, format(got, query(destination)), ignoreEmpty); diff != "" {
				t.Errorf("%s (-ssh +got):\n%s\n%s", destination, diff, b.String())
			}
		}
	})
}

// onPurpose reports whether err is an intended rejection of a file that ssh accepts.
func onPurpose(err error) bool {
	return err != nil && slices.ContainsFunc([]string{
		"versions of ssh interpret", "ProxyJump does not support quotes", "proxyjump takes one argument",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// TestTokensAgainstOpenSSH compares the tokens in key paths with an ssh that connects,
// because ssh -G does not expand them.
func TestTokensAgainstOpenSSH(t *testing.T) {
	t.Parallel()
	needOpenSSH(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // a server that sends nothing is enough: ssh lists keys before it reads from the connection
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(t.TempDir(), "config"), "Host web\nHostName 127.0.0.1\nPort "+port+`
HostKeyAlias key
IdentityFile ~/.ssh/none-%h-%n-%p-%r-%u-%i-%k-%l-%L-%%
IdentityFile %d/none
IdentityFile "${HOME}/none x"
IdentityFile none-relative
`)
	out, _ := exec.CommandContext(t.Context(), openSSH(), "-v", "-F", file, "-o", "BatchMode=yes", "--", "joe@web").CombinedOutput() // the command fails as intended
	var want []string
	for line := range strings.Lines(string(out)) {
		if _, path, ok := strings.Cut(strings.TrimSpace(line), "identity file "); ok {
			if path = path[:strings.LastIndex(path, " type ")]; !strings.HasSuffix(path, "-cert") {
				want = append(want, path)
			}
		}
	}
	got, err := sshconfig.File(environ(), file).Resolve(query("joe@web"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.IdentityFiles); diff != "" || len(want) == 0 {
		t.Errorf("identity files (-ssh +got):\n%s\n%s", diff, out)
	}
}

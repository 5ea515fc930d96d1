package conn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func line(name string, key ssh.PublicKey) string { return knownhosts.Line([]string{name}, key) + "\n" }

func public(key ssh.PublicKey) string { return string(ssh.MarshalAuthorizedKey(key)) }

func TestHostKeys(t *testing.T) {
	t.Parallel()
	main, rsa, ecdsa := sshdtest.NewKey(t), sshdtest.NewKeyOf(t, sshdtest.RSA), sshdtest.NewKeyOf(t, sshdtest.ECDSA)
	authority, other := sshdtest.NewKey(t), sshdtest.NewKey(t)
	server, o := serve(t, sshdtest.Config{HostKeys: []sshdtest.HostKey{
		{Key: main}, {Key: ecdsa, Certificate: sshdtest.Certify(t, authority, ecdsa.PublicKey(), ssh.HostCert, "127.0.0.1", "web")}, {Key: rsa},
	}})
	key, addr := main.PublicKey(), server.Addr()
	bracketed := knownhosts.Normalize(addr)
	fingerprint := ssh.FingerprintSHA256
	file := func(text string) []string { return []string{write(t, "known_hosts", []byte(text))} }
	broken := "web ssh-ed25519 AAAA\n# remark\n\n@other web " + public(other.PublicKey()) + "\x00\xff\n"
	unreadable := t.TempDir()
	trusted := 0
	for _, tt := range []struct {
		name  string
		trust conn.Trust
		want  []string // substrings of the error; empty for success
	}{
		{"known", conn.Trust{Known: []string{line(addr, key)}}, nil},
		{"known in a file", conn.Trust{Files: file(broken + line(addr, key))}, nil},
		{"known in the second file", conn.Trust{Files: append([]string{"/nowhere/known"}, file(line(addr, key))...)}, nil},
		{"hashed", conn.Trust{Files: file(knownhosts.HashHostname(bracketed) + " " + public(key))}, nil},
		{"one of two", conn.Trust{Known: []string{line(addr, other.PublicKey()) + line(addr, key)}}, nil},
		{"without port", conn.Trust{Known: []string{line("127.0.0.1", key)}}, nil},
		{"rsa, another key without port", conn.Trust{Known: []string{line(addr, rsa.PublicKey()) + line("127.0.0.1", other.PublicKey())}}, nil},
		{"another key without port", conn.Trust{Known: []string{line("127.0.0.1", other.PublicKey())}}, []string{"is not known"}},
		{"wildcard", conn.Trust{Known: []string{"db,[127.0.?.*]:* " + public(key)}}, nil},
		{"negated", conn.Trust{Known: []string{"*,![127.0.0.1]:*,!127.0.0.? " + public(key)}}, []string{"is not known"}},
		{"alias", conn.Trust{Alias: "Web", Known: []string{line("web", key)}}, nil},
		{"alias given, address known", conn.Trust{Alias: "web", Known: []string{line(addr, key)}}, []string{"is not known", "under the name web"}},
		{"rsa", conn.Trust{Known: []string{line(addr, rsa.PublicKey())}}, nil},
		{"unknown", conn.Trust{Files: file("")}, []string{"is not known", fingerprint(key), "accept_new", "host_key", "known_hosts", bracketed}},
		{"no known hosts", conn.Trust{}, []string{"no host key is configured for "}},
		{
			"changed",
			conn.Trust{Files: file("\n" + line(addr, other.PublicKey()))},
			[]string{fingerprint(other.PublicKey()), "known_hosts:2", fingerprint(key), "can be an attack", "ssh-keygen -R '" + bracketed + "' -f '/"},
		},
		{"changed, accept_new", conn.Trust{Policy: conn.AcceptNew, Files: file(line(addr, other.PublicKey()))}, []string{"can be an attack"}},
		{"changed, known in a text", conn.Trust{Known: []string{"", line(addr, other.PublicKey())}}, []string{"line 1 of known_hosts[1]"}},
		{"revoked", conn.Trust{Known: []string{line(addr, key)}, Files: file("@revoked * " + public(key))}, []string{"is revoked by", "known_hosts:1", fingerprint(key)}},
		{"revoked for another host", conn.Trust{Known: []string{line(addr, key) + "@revoked db " + public(key)}}, nil},
		{"revoked, accept_new", conn.Trust{Policy: conn.AcceptNew, Known: []string{"@revoked * " + public(key)}}, []string{"is revoked by"}},
		{"unreadable", conn.Trust{Files: []string{unreadable}}, []string{unreadable}},
		{"pinned", conn.Trust{Pinned: []string{public(key)}}, nil},
		{"one of two pinned", conn.Trust{Pinned: []string{public(other.PublicKey()), public(rsa.PublicKey())}}, nil},
		{"pinned fingerprint", conn.Trust{Pinned: []string{fingerprint(key)}}, nil},
		{"pinned fingerprint of the least preferred key", conn.Trust{Pinned: []string{fingerprint(rsa.PublicKey())}}, nil},
		{
			"another key pinned",
			conn.Trust{Pinned: []string{public(other.PublicKey())}, Known: []string{line(addr, key)}},
			[]string{"can be an attack", fingerprint(other.PublicKey()), fingerprint(key), "host_key"},
		},
		{
			"another fingerprint pinned",
			conn.Trust{Pinned: []string{fingerprint(other.PublicKey())}},
			[]string{"can be an attack", fingerprint(other.PublicKey()), fingerprint(key)},
		},
		{"authority", conn.Trust{Known: []string{"@cert-authority * " + public(authority.PublicKey())}}, nil},
		{"authority by alias", conn.Trust{Alias: "web", Known: []string{"@cert-authority web " + public(authority.PublicKey())}}, nil},
		{"authority, without port", conn.Trust{Known: []string{"@cert-authority 127.0.0.1 " + public(authority.PublicKey())}}, nil},
		{"authority, another name", conn.Trust{Alias: "db", Known: []string{"@cert-authority * " + public(authority.PublicKey())}}, []string{"not valid"}},
		{"revoked authority", conn.Trust{Known: []string{
			"@cert-authority * " + public(authority.PublicKey()) + "@revoked * " + public(authority.PublicKey()),
		}}, []string{"is revoked by"}},
		{"another authority, key known", conn.Trust{Known: []string{"@cert-authority * " + public(other.PublicKey()) + line(addr, ecdsa.PublicKey())}}, nil},
		{"another authority", conn.Trust{Known: []string{"@cert-authority * " + public(other.PublicKey())}}, []string{"is not known"}},
		{"only certificates", conn.Trust{Algorithms: []string{"*-cert-v01@openssh.com"}, Known: []string{line(addr, key)}}, []string{"@cert-authority"}},
		{"host key is known only as an authority", conn.Trust{Known: []string{"@cert-authority * " + public(key)}}, []string{"is not known"}},
		{"algorithms", conn.Trust{Algorithms: []string{"rsa-sha2-256"}, Known: []string{line(addr, rsa.PublicKey()) + line(addr, other.PublicKey())}}, nil},
		{"algorithms without the known key's", conn.Trust{Algorithms: []string{"-ssh-ed25519"}, Known: []string{line(addr, key)}}, []string{"can be an attack"}},
		{"insecure", conn.Trust{Policy: conn.Insecure, Known: []string{line(addr, other.PublicKey())}}, nil},
		{"insecure, but pinned", conn.Trust{Policy: conn.Insecure, Pinned: []string{public(other.PublicKey())}}, []string{"can be an attack"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			if o.Trust = tt.trust; tt.trust.Policy == "" {
				o.Trust.Policy = conn.Strict
			}
			err := open(t, o).Connect(t.Context())
			if len(tt.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				trusted++
				return
			}
			for _, text := range tt.want {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("Connect returned %v, want an error with %q", err, text)
				}
			}
			if !errors.Is(err, conn.ErrRefused) || errors.Is(err, host.ErrUnreachable) {
				t.Errorf("error %v, want an error that matches ErrRefused and not ErrUnreachable", err)
			}
		})
	}
	server.Await(t, trusted, "Accepted publickey")
	if n := server.Count("Accepted publickey"); n != trusted {
		t.Errorf("%d logins, want %d", n, trusted)
	}
}

func TestAcceptNew(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	name := knownhosts.Normalize(server.Addr())
	dir := t.TempDir()
	other := public(sshdtest.NewKey(t).PublicKey())
	for _, tt := range []struct{ name, before, after string }{
		{"no file", "", name + " " + public(server.HostKey())},
		{"file", "db " + other, "db " + other + name + " " + public(server.HostKey())},
		{"file without a final newline", "db " + strings.TrimSpace(other), "db " + other + name + " " + public(server.HostKey())},
		{"hashed", knownhosts.HashHostname("db") + " " + other, ""},
	} {
		file := filepath.Join(dir, tt.name, "known_hosts")
		if tt.before != "" {
			if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(tt.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o.Trust = conn.Trust{Policy: conn.AcceptNew, Files: []string{file}}
		for range 2 {
			if err := open(t, o).Connect(t.Context()); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		o.Trust.Policy = conn.Strict
		if err := open(t, o).Connect(t.Context()); err != nil {
			t.Errorf("%s: the key was not stored: %v", tt.name, err)
		}
		got, err := os.ReadFile(file)
		if err != nil || tt.after != "" && string(got) != tt.after {
			t.Errorf("%s: the file has %q, error %v, want %q", tt.name, got, err, tt.after)
		}
		if tt.after == "" && (strings.Contains(string(got), name) || strings.Count(string(got), "\n") != 2) {
			t.Errorf("%s: the file has %q, want two lines without the host name", tt.name, got)
		}
	}
	o.Trust = conn.Trust{Policy: conn.AcceptNew, Files: []string{"/proc/nowhere/known_hosts"}}
	if err := open(t, o).Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot add the new host key") {
		t.Errorf("a file that cannot be created: error %v, want an error about the new host key", err)
	}
}

// TestAcceptNewWithoutFile checks that without a file, accepted keys are kept as long as
// the Conn exists.
func TestAcceptNewWithoutFile(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	o.Trust = conn.Trust{Policy: conn.AcceptNew}
	c := open(t, o)
	for range 2 {
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Disconnect()
	}
	err := server.Restart(func(c *sshdtest.Config) { c.HostKeys = []sshdtest.HostKey{{Key: sshdtest.NewKey(t)}} })
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Connect(t.Context()); !errors.Is(err, conn.ErrRefused) || errors.Is(err, host.ErrUnreachable) || !strings.Contains(err.Error(), "can be an attack") {
		t.Errorf("Connect after the host key changed returned %v, want %v with a warning of an attack", err, conn.ErrRefused)
	}
}

// TestRekey checks that a key re-exchange succeeds, and does not store the accepted host key
// again.
func TestRekey(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{Lines: []string{"RekeyLimit 1M"}})
	o.Trust = conn.Trust{Policy: conn.AcceptNew, Files: []string{filepath.Join(t.TempDir(), "known_hosts")}}
	if _, _, err := run(t.Context(), open(t, o), "head -c 5000000 /dev/zero", ""); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile(o.Trust.Files[0])
	if err != nil || strings.Count(string(got), "\n") != 1 {
		t.Errorf("known_hosts has %q, error %v, want one line", got, err)
	}
}

// TestAcceptNewConcurrently checks that concurrently accepted keys are all stored.
func TestAcceptNewConcurrently(t *testing.T) {
	t.Parallel()
	const n = 8
	server, o := serve(t, sshdtest.Config{})
	o.Trust = conn.Trust{Policy: conn.AcceptNew, Files: []string{filepath.Join(t.TempDir(), "known_hosts")}}
	var all sync.WaitGroup
	for i := range n {
		o := o
		o.Trust.Alias = "host" + strconv.Itoa(i)
		c := open(t, o)
		all.Go(func() {
			if err := c.Connect(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := os.ReadFile(o.Trust.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if want := "host" + strconv.Itoa(i) + " " + public(server.HostKey()); !strings.Contains("\n"+string(got), "\n"+want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := conn.Options{Name: "web", Address: "192.0.2.1", Port: 22, User: "root", MaxSessions: 10, Trust: conn.Trust{Policy: conn.Strict}}
	open(t, good)
	for want, spoil := range map[string]func(*conn.Options){
		"name is missing":    func(o *conn.Options) { o.Name = "" },
		"address is missing": func(o *conn.Options) { o.Address = "" },
		"user is missing":    func(o *conn.Options) { o.User = "" },
		"1 to 65535":         func(o *conn.Options) { o.Port = 0 },
		"times must not be":  func(o *conn.Options) { o.Retries = -1 },
		"not be negative":    func(o *conn.Options) { o.KeepAlive = -1 },
		"keepalive requests": func(o *conn.Options) { o.KeepAlive = 1 },
		"policy for unknown": func(o *conn.Options) { o.Trust.Policy = "" },
		"ssh-keygen -l":      func(o *conn.Options) { o.Trust.Pinned = []string{"SHA256:x"} },
		"or a fingerprint":   func(o *conn.Options) { o.Trust.Pinned = []string{"MD5:00"} },
		"HostKeyAlgorithms \"ssh-x\" selects no supported": func(o *conn.Options) { o.Trust.Algorithms = []string{"ssh-x"} },
		"HostKeyAlgorithms \"-*\" selects no supported":    func(o *conn.Options) { o.Trust.Algorithms = []string{"-*"} },
	} {
		o := good
		spoil(&o)
		if _, err := conn.New(o); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "host ") {
			t.Errorf("New returned error %v, want an error with %q", err, want)
		}
	}
}

package sshdtest_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func dial(s *sshdtest.Server, user string, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	return ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: user, Auth: auth, HostKeyCallback: ssh.FixedHostKey(s.HostKey()),
	})
}

// output runs a command as a user and returns its output.
func output(t *testing.T, s *sshdtest.Server, user, command, stdin string, auth ...ssh.AuthMethod) string {
	t.Helper()
	client, err := dial(s, user, auth...)
	if err != nil {
		t.Fatalf("%s: %v", user, err)
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	session.Stdin = strings.NewReader(stdin)
	out, err := session.CombinedOutput(command)
	if err != nil {
		t.Fatalf("%s: %s: %v: %s", user, command, err, out)
	}
	return string(out)
}

func TestOwnUser(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	s := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}, Address: "127.0.0.3", MaxSessions: 1})
	if got, want := output(t, s, me.Name, "pwd -P", "", ssh.PublicKeys(key)), s.Home(me.Name)+"\n"; got != want {
		t.Errorf("got working directory %q, want %q", got, want)
	}
	s.Await(t, 1, "Accepted publickey for "+me.Name)
	s.Await(t, 1, "Close session")
	if c, n := s.Connections(), s.Sessions(); c != 1 || n != 1 {
		t.Errorf("got %d connections and %d sessions, want 1 and 1", c, n)
	}
	if _, err := dial(s, me.Name, ssh.PublicKeys(sshdtest.NewKey(t))); err == nil {
		t.Error("a key that the user does not have was accepted")
	}
}

// TestUsers checks authentication and sudo of the users of a server, and that a closed
// server leaves no trace.
func TestUsers(t *testing.T) {
	t.Parallel()
	sshdtest.RequireUsers(t)
	key := sshdtest.NewKey(t)
	s := sshdtest.Start(t, sshdtest.Config{
		Passwords: true, Interactive: true,
		Users: []sshdtest.User{
			{Name: "root", Password: "rootword", Keys: []ssh.PublicKey{key.PublicKey()}},
			{Name: "sshdalice", Password: "correct horse", Sudo: sshdtest.SudoPassword},
			{Name: "sshdbob", Keys: []ssh.PublicKey{key.PublicKey()}, Sudo: sshdtest.SudoNoPassword},
			{Name: "sshdcarol", Password: "c"},
		},
	})
	password := ssh.Password("correct horse")
	interactive := ssh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
		return []string{"correct horse"}[:len(questions)], nil
	})
	keys := ssh.PublicKeys(key)
	for _, tt := range []struct {
		user, command, stdin, want string
		auth                       ssh.AuthMethod
	}{
		{"root", "id -un; pwd", "", "root\n" + s.Home("root") + "\n", keys},
		{"sshdalice", "id -un; id -gn; pwd", "", "sshdalice\nsshdalice\n" + s.Home("sshdalice") + "\n", password},
		{"sshdalice", "touch mine && ls", "", "mine\n", interactive},
		{"sshdbob", "sudo -n id -un; sudo -n -u sshdalice id -un", "", "root\nsshdalice\n", keys},
		{"sshdalice", "sudo -S -p '' id -un", "correct horse\n", "root\n", password},
		{"sshdalice", "sudo -n -k true 2>/dev/null || echo no", "", "no\n", password},
		{"sshdcarol", "sudo -S -p '' true 2>/dev/null || echo no", "c\n", "no\n", ssh.Password("c")},
	} {
		if got := output(t, s, tt.user, tt.command, tt.stdin, tt.auth); got != tt.want {
			t.Errorf("%s: %s: got %q, want %q", tt.user, tt.command, got, tt.want)
		}
	}
	if _, err := dial(s, "sshdalice", ssh.Password("wrong")); err == nil {
		t.Error("a wrong password was accepted")
	}
	s.Await(t, 1, "Failed password for sshdalice")
	if _, err := dial(s, "sshdbob", ssh.Password("")); err == nil {
		t.Error("an empty password was accepted")
	}
	dir := s.Dir()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s still exists: %v", dir, err)
	}
	if left := traces(t, dir, "sshdalice", "sshdbob", "sshdcarol", "$posix$"); len(left) > 0 {
		t.Errorf("got traces on the host %q, want none", left)
	}
}

// traces returns the files of the host that contain one of the words (the directory of a
// server, its users, the salt of their passwords), and the users' sudo timestamps. Other
// programs may change these files too, so traces does not compare them with an earlier state.
func traces(t *testing.T, users ...string) []string {
	t.Helper()
	var found []string
	for _, name := range []string{
		"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/pam.d/sshd", "/etc/pam.d/sudo", "/proc/self/mounts",
		"/var/log/lastlog", "/var/log/btmp", "/var/log/wtmp",
	} {
		content, _ := os.ReadFile(name) // a missing file has no traces
		for _, word := range users {
			if bytes.Contains(content, []byte(word)) {
				found = append(found, name+" has "+word)
			}
		}
	}
	for _, user := range users {
		stamps, err := filepath.Glob("/run/sudo/*/" + filepath.Base(user))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, stamps...)
	}
	return found
}

func TestRestart(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	s := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	addr, old := s.Addr(), s.HostKey()
	client, err := dial(s, me.Name, ssh.PublicKeys(key))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s.Kill()
	if err := client.Wait(); err == nil {
		t.Error("the connection to a killed server was closed cleanly")
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("a killed server accepts connections")
	}
	if err := s.Restart(nil); err != nil {
		t.Fatal(err)
	}
	output(t, s, me.Name, "true", "", ssh.PublicKeys(key))
	if s.Addr() != addr || !bytes.Equal(s.HostKey().Marshal(), old.Marshal()) {
		t.Errorf("after a restart: address %s, want %s and an unchanged host key", s.Addr(), addr)
	}
	err = s.Restart(func(c *sshdtest.Config) {
		c.HostKeys = []sshdtest.HostKey{{Key: sshdtest.NewKeyOf(t, sshdtest.RSA)}}
	})
	if err != nil {
		t.Fatal(err)
	}
	output(t, s, me.Name, "true", "", ssh.PublicKeys(key))
	if s.Addr() != addr || s.HostKey().Type() != sshdtest.RSA {
		t.Errorf("after a restart: address %s and a %s host key, want %s and %s", s.Addr(), s.HostKey().Type(), addr, sshdtest.RSA)
	}
}

func TestLimitsAndSubsystem(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	s := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}, MaxSessions: 1, Subsystem: sshdtest.None, Forwarding: sshdtest.No})
	client, err := dial(s, me.Name, ssh.PublicKeys(key))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestSubsystem("sftp"); err == nil {
		t.Error("SFTP works on a server without SFTP")
	}
	if _, err := client.NewSession(); err == nil {
		t.Error("a second session was opened")
	}
	if conn, err := client.Dial("tcp", s.Addr()); err == nil {
		conn.Close()
		t.Error("forwarding works on a server without forwarding")
	}
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	authority, key, hostKey := sshdtest.NewKey(t), sshdtest.NewKey(t), sshdtest.NewKeyOf(t, sshdtest.ECDSA)
	me := sshdtest.Me()
	s := sshdtest.Start(t, sshdtest.Config{
		Users: []sshdtest.User{me}, UserAuthority: authority.PublicKey(),
		HostKeys: []sshdtest.HostKey{{Key: hostKey, Certificate: sshdtest.Certify(t, authority, hostKey.PublicKey(), ssh.HostCert, "127.0.0.1")}},
	})
	signer, err := ssh.NewCertSigner(sshdtest.Certify(t, authority, key.PublicKey(), ssh.UserCert, me.Name), key)
	if err != nil {
		t.Fatal(err)
	}
	checker := ssh.CertChecker{IsHostAuthority: func(k ssh.PublicKey, _ string) bool {
		return bytes.Equal(k.Marshal(), authority.PublicKey().Marshal())
	}}
	client, err := ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: me.Name, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: checker.CheckHostKey,
		HostKeyAlgorithms: []string{ssh.CertAlgoECDSA256v01},
	})
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
}

func TestAgent(t *testing.T) {
	t.Parallel()
	keys := []sshdtest.AgentKey{{Key: sshdtest.NewKey(t)}, {Key: sshdtest.NewKeyOf(t, sshdtest.RSA)}}
	conn, err := net.Dial("unix", sshdtest.StartAgent(t, keys...))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got, err := agent.NewClient(conn).List()
	if err != nil || len(got) != 2 {
		t.Errorf("got agent keys %v and error %v, want 2 keys", got, err)
	}
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	for kind, passphrase := range map[string]string{sshdtest.ED25519: "pass phrase", sshdtest.ECDSA: "", sshdtest.RSA: ""} {
		key := sshdtest.NewKeyOf(t, kind)
		text, err := os.ReadFile(key.File(t, passphrase))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := ssh.ParsePrivateKey(text)
		if passphrase != "" {
			if err == nil {
				t.Errorf("%s: an encrypted key was parsed without a passphrase", kind)
			}
			parsed, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(passphrase))
		}
		if err != nil || !bytes.Equal(parsed.PublicKey().Marshal(), key.PublicKey().Marshal()) {
			t.Errorf("%s: got error %v or a different key, want no error and the same key", kind, err)
		}
	}
}

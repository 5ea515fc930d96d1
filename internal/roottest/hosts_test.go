package roottest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// login returns a root as a host over SSH.
func login(t *testing.T, r *roottest.Root) *sshhost.Host {
	t.Helper()
	at := r.Host(t)
	h, err := sshhost.New(sshhost.Options{
		Name: r.Hostname, Address: at.Address, Port: at.Port, User: at.User,
		Auth:           sshhost.Auth{Keys: []sshhost.Key{{Path: at.KeyFile}}},
		Trust:          sshhost.Trust{Policy: sshhost.Strict, Known: []string{at.KnownHosts}},
		ConnectTimeout: time.Minute, MaxSessions: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// TestHosts checks that two roots are independent hosts.
func TestHosts(t *testing.T) {
	t.Parallel()
	outside(t)
	before := hostState(t)
	roots := []*roottest.Root{roottest.Start(t, roottest.Options{}), roottest.Start(t, roottest.Options{})}
	for i, r := range roots {
		h := login(t, r)
		only := []string{"alice", "bob"}[i]
		var out, stderr strings.Builder
		const script = `useradd "$1" && hostname && echo mine >"/etc/motd.$1"`
		result, err := h.Run(t.Context(), host.Command{Args: []string{"sh", "-c", script, "sh", only}, Stdout: &out, Stderr: &stderr})
		if err != nil || result.ExitCode != 0 || strings.TrimSpace(out.String()) != r.Hostname {
			t.Errorf("%s: got hostname %q, exit code %d, error %v: %s", r.Hostname, out.String(), result.ExitCode, err, stderr.String())
		}
	}
	for i, r := range roots {
		mine, others := []string{"alice", "bob"}[i], []string{"bob", "alice"}[i]
		if got := r.Run(t, "getent", "passwd", mine); !strings.HasPrefix(got, mine+":x:1000:") {
			t.Errorf("%s: got passwd entry %q, want the user %s with UID 1000", r.Hostname, got, mine)
		}
		if _, err := os.Stat(filepath.Join(r.Dir, "etc", "motd."+mine)); err != nil {
			t.Errorf("%s: %v", r.Hostname, err)
		}
		if passwd, err := os.ReadFile(filepath.Join(r.Dir, "etc", "passwd")); err != nil || strings.Contains(string(passwd), others) {
			t.Errorf("%s has the user %s, or its users cannot be read: %v", r.Hostname, others, err)
		}
	}
	if a, b := roots[0].Host(t), roots[1].Host(t); a.Port == b.Port || a.KnownHosts == b.KnownHosts || roots[0].Hostname == roots[1].Hostname {
		t.Errorf("the roots share a port (%d, %d), a host key or a hostname (%s, %s)", a.Port, b.Port, roots[0].Hostname, roots[1].Hostname)
	}
	before.same(t)
}

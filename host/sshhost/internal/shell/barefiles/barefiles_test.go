//go:build unix

package barefiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/barefiles"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/batch"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
)

// bare is a host of which nothing but its shell is used.
type bare struct {
	*barefiles.Files
	*batch.Accounts
	*command.Runner
}

func (bare) Name() string { return "web1" }

var (
	_ host.Host     = bare{}
	_ host.Digester = bare{}
)

func newBare(t *testing.T, s *remotetest.Starter) bare {
	t.Helper()
	return newBareOver(t, s)
}

func newBareOver(t *testing.T, s remote.Starter) bare {
	t.Helper()
	helper := batch.NewHelper(s)
	t.Cleanup(helper.Close)
	batches := batch.NewCoalescer(helper)
	accounts := batch.NewAccounts("web1", batches)
	return bare{
		Files:    barefiles.New("web1", s, helper, batches, accounts),
		Accounts: accounts,
		Runner:   &command.Runner{Host: "web1", Starter: s},
	}
}

const nobody = 65534

// directory is one that belongs to a user, who can reach it.
func directory(t *testing.T, uid int) string {
	t.Helper()
	dir := t.TempDir()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, v := range remotetest.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			h := newBare(t, v.New(t))
			hosttest.Run(t, func(t *testing.T) (host.Host, string) { return h, t.TempDir() })
		})
	}
}

func TestConformanceAsAUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("the tests run as another user than root anyhow")
	}
	for _, v := range remotetest.Variants()[:2] {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := v.New(t)
			s.UID, s.GID = nobody, nobody
			if v.Name == "dash" { // root's path may lead where others must not look
				s.Env = append(s.Env, "PATH=/usr/local/bin:/usr/bin:/bin")
			}
			h := newBare(t, s)
			hosttest.Run(t, func(t *testing.T) (host.Host, string) { return h, directory(t, nobody) })
		})
	}
}

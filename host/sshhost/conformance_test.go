package sshhost_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// fewExtensions is the command of an SFTP server without some extensions, such as posix-rename, which
// replaces a file in one step. The shell backend can do that.
const fewExtensions = "internal-sftp -P posix-rename,fsync,hardlink,lsetstat"

// TestContract runs the tests of the contract once in the fast tier, half of them over SFTP and
// half through the shell, as the current user. It needs sshd but not root. TestConformance runs them in
// the other tiers.
func TestContract(t *testing.T) {
	t.Parallel()
	for part, subsystem := range tier.Pick([]string{"", sshdtest.None}, nil, nil) {
		t.Run("subsystem "+subsystem, func(t *testing.T) {
			t.Parallel()
			key := sshdtest.NewKey(t)
			me := sshdtest.Me(key.PublicKey())
			server := sshdtest.Start(t, sshdtest.Config{Subsystem: subsystem, Users: []sshdtest.User{me}})
			h := open(t, options(t, server, me.Name, key))
			hosttest.RunPart(t, func(t *testing.T) (host.Host, string) {
				t.Helper()
				return h, directory(t, h, me.Name)
			}, part, 2)
			t.Cleanup(func() { wantConnections(t, server, 1) })
		})
	}
}

// TestConformance runs the tests of the contract on hosts that differ in the user, the
// backend, the number of sessions and the route. Each pair of values of two factors
// occurs in at least one row, except fewExtensions with one session. The rows with an SFTP
// subsystem divide the tests among themselves, and so do those without one; in the nightly tier
// each row runs all of them.
func TestConformance(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	become := map[string]*sshhost.Become{
		free:  {User: "root"},
		asked: {User: "root", Password: new(sshhost.Secret(password))},
	}
	users := []string{"root", plain, free, asked}
	backends := []string{"", fewExtensions, sshdtest.None}
	for _, row := range []struct {
		user, backend, sessions int
		jump                    bool
	}{
		{0, 0, 10, false},
		{0, 1, 2, true},
		{0, 2, 1, false},
		{1, 0, 1, false},
		{1, 1, 2, false},
		{1, 2, 10, true},
		{2, 0, 2, true},
		{2, 1, 10, false},
		{2, 2, 1, false},
		{3, 0, 1, true},
		{3, 1, 10, false},
		{3, 2, 2, true},
	} {
		user := users[row.user]
		t.Run(fmt.Sprintf("%s, subsystem %q, %d sessions, jump %t", user, backends[row.backend], row.sessions, row.jump), func(t *testing.T) {
			t.Parallel()
			server, o := serve(t, sshdtest.Config{Subsystem: backends[row.backend], MaxSessions: row.sessions})
			o.User, o.Become = user, become[user]
			if row.jump {
				_, gate := serve(t, sshdtest.Config{})
				gate.Name, gate.User = "gate", plain
				o.Via = open(t, gate)
			}
			h := open(t, o)
			works := user
			if o.Become != nil {
				works = o.Become.User
			}
			newHost := func(t *testing.T) (host.Host, string) {
				t.Helper()
				return h, directory(t, h, works)
			}
			part, parts := row.user, len(users)
			if backends[row.backend] != sshdtest.None {
				part, parts = 2*row.user+row.backend, 2*len(users)
			}
			hosttest.RunPart(t, newHost, tier.Pick(0, part, 0), tier.Pick(1, parts, 1))
			if row.sessions == 10 { // otherwise killing a command may need a new connection
				t.Cleanup(func() { wantConnections(t, server, 1) })
			}
		})
	}
}

// wantConnections checks that a server had at least one connection and at most the given
// number.
func wantConnections(t *testing.T, server *sshdtest.Server, most int) {
	t.Helper()
	if n := server.Connections(); n < 1 || n > most {
		t.Errorf("%d connections, want at least 1 and at most %d", n, most)
	}
}

// TestMain triples the number of parallel tests, because most of the time they wait for a server. It does
// not do so if the number is 1, or for fuzzing, where the number is that of the worker processes.
func TestMain(m *testing.M) {
	flag.Parse()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	parallel := flag.Lookup("test.parallel")
	if n, err := strconv.Atoi(parallel.Value.String()); err == nil && n > 1 && !fuzzing {
		_ = parallel.Value.Set(strconv.Itoa(3 * n)) // a number is always valid
	}
	os.Exit(m.Run())
}

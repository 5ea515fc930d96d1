package sshhost_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// fewExtensions is the server of a host whose SFTP can not do in one step what
// its shell can.
const fewExtensions = "internal-sftp -P posix-rename,fsync,hardlink,lsetstat"

// TestConformance runs the contract of hosts on each kind of host over SSH, each by
// one connection. Where hosts are alike, each of them is tried with a part of it.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server sshdtest.Config
		user   string // who works on the host
		set    func(t *testing.T, o *sshhost.Options)
		part   int
		of     int // how many parts there are; 0 is all in one
	}{
		{name: "root", user: "root"},
		{name: "user", user: plain, part: 1, of: 2, set: func(_ *testing.T, o *sshhost.Options) { o.User = plain }},
		{name: "sudo", user: "root", of: 2, set: func(_ *testing.T, o *sshhost.Options) {
			o.User, o.Become = free, &sshhost.Become{User: "root"}
		}},
		{name: "sudo with password", user: "root", part: 1, of: 2, set: func(_ *testing.T, o *sshhost.Options) {
			o.User, o.Become = asked, &sshhost.Become{User: "root", Password: new(sshhost.Secret(password))}
		}},
		{name: "through another", user: "root", of: 2, set: func(t *testing.T, o *sshhost.Options) {
			_, first := serve(t, sshdtest.Config{})
			first.Name, first.User = "gate", plain
			o.Via = open(t, first)
		}},
		// An operation takes a dozen processes here. Where busybox is all that there is, the tests of package
		// barefiles try the last part.
		{name: "no SFTP", user: "root", server: sshdtest.Config{Subsystem: sshdtest.None}, of: 3},
		{
			name: "no SFTP for a user", user: plain, server: sshdtest.Config{Subsystem: sshdtest.None},
			set:  func(_ *testing.T, o *sshhost.Options) { o.User = plain },
			part: 1, of: 3,
		},
		{name: "few extensions", user: "root", server: sshdtest.Config{Subsystem: fewExtensions}, of: 2},
		{
			name: "few extensions for a user", user: plain, server: sshdtest.Config{Subsystem: fewExtensions},
			set:  func(_ *testing.T, o *sshhost.Options) { o.User = plain },
			part: 1, of: 2,
		},
		{name: "one session", user: "root", server: sshdtest.Config{MaxSessions: 1}, part: 1, of: 2},
		{name: "two sessions", user: "root", server: sshdtest.Config{MaxSessions: 2}, of: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, o := serve(t, tt.server)
			if tt.set != nil {
				tt.set(t, &o)
			}
			h := open(t, o)
			hosttest.RunPart(t, func(t *testing.T) (host.Host, string) {
				t.Helper()
				return h, directory(t, h, tt.user)
			}, tt.part, max(tt.of, 1))
			t.Cleanup(func() {
				// Where sessions are few, what ends a command may have a connection of its own: so while many commands
				// run at once, as they do where little else is tried.
				most := 1
				if tt.of > 0 {
					most = 2
				}
				if n := server.Connections(); (n < 1 || n > most) && tt.server.MaxSessions == 0 {
					t.Errorf("%d connections, want 1, and %d at the most", n, most)
				}
			})
		})
	}
}

package resourcetest

import (
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// Booted is a root with a running systemd, used as a host over SSH.
type Booted struct {
	Recorded
	Root *roottest.Root
}

// Systemd is the value of [roottest.Options.Starts] for tests that call [Boot].
var Systemd = []roottest.Options{{Systemd: true}}

// Boot starts a root with systemd for a test. The name of the host is the hostname of the root.
func Boot(t *testing.T) Booted {
	t.Helper()
	root := roottest.Start(t, Systemd[0])
	at := root.Host(t)
	h, err := sshhost.New(sshhost.Options{
		Name: root.Hostname, Address: at.Address, Port: at.Port, User: at.User,
		Auth:           sshhost.Auth{Keys: []sshhost.Key{{Path: at.KeyFile}}},
		Trust:          sshhost.Trust{Policy: sshhost.Strict, Known: []string{at.KnownHosts}},
		ConnectTimeout: time.Minute, MaxSessions: 10,
	})
	Must(t, err)
	t.Cleanup(func() { Must(t, h.Close()) })
	return Booted{Recorded{h}, root}
}

// Reboot reboots the host and waits until it has booted. The connection of the host is lost.
func (b Booted) Reboot(t *testing.T) {
	t.Helper()
	boots := b.Root.Boots()
	_, _ = b.Run(t.Context(), host.Command{Args: []string{"systemctl", "reboot"}}) // the connection may end first
	b.Root.WaitBoot(t, boots+1)
}

//go:build unix

package shellfs_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// shellHost is a host that is used only through its shell.
type shellHost struct {
	*remotefs.Files
	*shellrpc.Accounts
	*command.Runner
}

func (shellHost) Name() string { return "web1" }

var _ host.Host = shellHost{}

func newShellHost(t *testing.T, s *remotetest.Starter) shellHost {
	t.Helper()
	return newShellHostOver(t, s)
}

func newShellHostOver(t *testing.T, s remote.Starter) shellHost {
	t.Helper()
	keeper := &remotetest.Keeper[*shellrpc.Session]{}
	t.Cleanup(keeper.Close)
	helper := shellrpc.NewHelper(s, keeper)
	batches := shellrpc.NewCoalescer(helper)
	accounts := shellrpc.NewAccounts("web1", batches)
	return shellHost{
		Files:    remotefs.New("web1", shellfs.New(s, helper, batches, func() bool { return false }), accounts, batches),
		Accounts: accounts,
		Runner:   &command.Runner{Host: "web1", Starter: s},
	}
}

// TestConformance runs the contract on a host with only the tools of busybox; in the tier
// of make ci it runs a third of it. Package sshhost runs the rest with the system's tools.
func TestConformance(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	h := newShellHost(t, remotetest.Busybox(t))
	hosttest.RunPart(t, func(t *testing.T) (host.Host, string) { return h, t.TempDir() }, tier.Pick(0, 2, 0), tier.Pick(1, 3, 1))
}

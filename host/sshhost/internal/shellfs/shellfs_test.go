//go:build unix

package shellfs_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
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

// liar is a host whose shell says one word instead of another of the same length.
type liar struct {
	remote.Starter
	word, instead string
}

func (l liar) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := l.Starter.Start(ctx, line)
	return lyingProcess{p, l}, err
}

type lyingProcess struct {
	remote.Process
	liar liar
}

func (p lyingProcess) Stdout() io.Reader { return lyingReader{p.Process.Stdout(), p.liar} }

type lyingReader struct {
	io.Reader
	liar liar
}

func (r lyingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte(r.liar.word), []byte(r.liar.instead)))
	return n, err
}

// A name that a host made up is refused where it would lead out of the directory.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/plain-name", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../etc/", "/etc/group"} {
		h := newShellHostOver(t, liar{&remotetest.Starter{}, "plain-name", name})
		entries, err := h.ReadDir(t.Context(), dir)
		if err == nil || !strings.Contains(err.Error(), "not the name of a file") {
			t.Errorf("%q: %+v, error %v", name, entries, err)
		}
	}
}

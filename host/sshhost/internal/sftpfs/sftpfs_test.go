//go:build unix

package sftpfs_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// sessions provides a session of a real server, and of another server once that session has ended.
type sessions struct {
	tb      testing.TB
	command func() *exec.Cmd
	wrap    func(nth int, server *sftptest.Server) io.ReadWriteCloser // may be nil

	mu     sync.Mutex
	client *sftp.Client
	server *sftptest.Server
	begun  int
	held   int
}

func (s *sessions) SFTP(ctx context.Context) (sftpfs.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return sftpfs.Session{}, err
	}
	if s.client == nil || s.client.Err() != nil {
		s.server = sftptest.Run(s.tb, s.command())
		s.begun++
		var conn io.ReadWriteCloser = s.server
		if s.wrap != nil {
			conn = s.wrap(s.begun, s.server)
		}
		c, err := sftp.New(ctx, conn)
		if err != nil {
			return sftpfs.Session{}, err
		}
		s.client = c
	}
	s.held++
	return sftpfs.Session{Client: s.client, Release: sync.OnceFunc(func() {
		s.mu.Lock()
		s.held--
		s.mu.Unlock()
	})}, nil
}

func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		_ = s.client.Close()
	}
}

// names looks up names on the host that the tests run on.
type names struct{ host.Accounts }

func (n names) UserName(ctx context.Context, uid uint32) (string, error) {
	user, err := n.LookupUser(ctx, strconv.FormatUint(uint64(uid), 10))
	if user.Name == "" {
		user.Name = strconv.FormatUint(uint64(uid), 10)
	}
	return user.Name, err
}

func (n names) GroupName(ctx context.Context, gid uint32) (string, error) {
	group, err := n.LookupGroup(ctx, strconv.FormatUint(uint64(gid), 10))
	if group.Name == "" {
		group.Name = strconv.FormatUint(uint64(gid), 10)
	}
	return group.Name, err
}

// testHost has files over SFTP; accounts and commands are those of package local.
type testHost struct {
	*remotefs.Files
	host.Accounts
	host.Runner
}

func (testHost) Name() string { return host.LocalName }

func newTestHost(tb testing.TB, s sftpfs.Sessions, finder remotefs.Finder) testHost {
	tb.Helper()
	return newTestHostAs(tb, s, finder, nil) // tests count the requests, and checks of trusted directories would add some
}

// newTestHostAs is newTestHost with the trusted directories of a host on which operations are done as root.
func newTestHostAs(tb testing.TB, s sftpfs.Sessions, finder remotefs.Finder, trusted *remotefs.TrustedDirs) testHost {
	tb.Helper()
	here, err := local.New()
	if err != nil {
		tb.Fatal(err)
	}
	over := sftpfs.New(s)
	if finder == nil {
		finder = over
	}
	return testHost{remotefs.New(here.Name(), over, names{here}, finder, trusted), here, here}
}

func newSessions(tb testing.TB, flags ...string) *sessions {
	tb.Helper()
	program := sftptest.Path(tb)
	s := &sessions{tb: tb, command: func() *exec.Cmd { return exec.Command(program, append([]string{"-e"}, flags...)...) }}
	tb.Cleanup(func() {
		s.close()
		if s.held != 0 {
			tb.Errorf("%d sessions were not released", s.held)
		}
	})
	return s
}

// noCommands is a Runner that does not support commands.
type noCommands struct{}

func (noCommands) Run(ctx context.Context, _ host.Command) (host.Result, error) {
	err := ctx.Err()
	if err == nil {
		err = errors.ErrUnsupported
	}
	return host.Result{}, &host.Error{Op: "run", Host: host.LocalName, Err: err}
}

// TestConformance runs the tests of the contract on servers that differ in their
// user, umask and extensions. Package sshhost tests the usual servers. In the tier
// that make ci runs, each server gets a part of the tests.
func TestConformance(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can start a server as another user")
	}
	const nobody = 65534
	servers := []struct {
		name  string
		user  uint32
		flags []string
	}{
		{"another user, umask 077", nobody, []string{"-u", "077"}},
		{"another user, umask 000", nobody, []string{"-u", "000"}},
		{"same user, umask 777", 0, []string{"-u", "777"}},
		{"server without optional extensions", 0, []string{"-P", "limits,users-groups-by-id"}},
	}
	for i, tt := range servers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSessions(t, tt.flags...)
			plain := s.command
			s.command = func() *exec.Cmd {
				cmd := plain()
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: tt.user, Gid: tt.user}}
				return cmd
			}
			trusted := remotetest.TrustedDirs()
			if tt.user != 0 {
				trusted = nil
			}
			h := newTestHostAs(t, s, nil, trusted)
			if tt.user != 0 {
				h.Runner = noCommands{} // commands would run as root
			}
			hosttest.RunPart(t, func(t *testing.T) (host.Host, string) {
				t.Helper()
				dir := openDir(t)
				if err := os.Chown(dir, int(tt.user), int(tt.user)); err != nil {
					t.Fatal(err)
				}
				return h, dir
			}, tier.Pick(0, i, 0), tier.Pick(1, len(servers), 1))
		})
	}
}

// openDir returns a new directory that every user may enter: t.TempDir is inside a private
// one.
func openDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "files-") //nolint:usetesting // see above
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// TestCheck checks that the error for a server without required extensions names them, and that a
// complete server causes no error.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := newSessions(t, "-P", "posix-rename,lsetstat,limits")
	session, err := s.SFTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Release()
	err = sftpfs.Check(session.Client)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "posix-rename@openssh.com, lsetstat@openssh.com:") {
		t.Errorf("error %v, want errors.ErrUnsupported with the names of posix-rename and lsetstat", err)
	}
	complete, err := newSessions(t).SFTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer complete.Release()
	if err := sftpfs.Check(complete.Client); err != nil {
		t.Error(err)
	}
}

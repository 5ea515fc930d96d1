package sshhost_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestReplacedInOneStep checks that a replaced file exists at every moment, even if the
// server lacks posix-rename.
func TestReplacedInOneStep(t *testing.T) {
	t.Parallel()
	for _, sessions := range []int{0, 1} {
		_, o := serve(t, sshdtest.Config{Subsystem: fewExtensions, MaxSessions: sessions})
		h, p := open(t, o), t.TempDir()+"/file"
		write := func(n int) {
			if _, err := h.WriteFile(t.Context(), p, strings.NewReader(fmt.Sprint(n)), host.WriteOptions{}); err != nil {
				t.Error(err)
			}
		}
		write(0)
		done := make(chan struct{})
		missed := make(chan error, 1)
		go func() {
			for {
				select {
				case <-done:
					missed <- nil
					return
				default:
				}
				if _, err := os.Lstat(p); err != nil {
					missed <- err
					return
				}
			}
		}()
		for n := range 10 {
			write(n + 1)
		}
		close(done)
		if err := <-missed; err != nil {
			t.Errorf("%d sessions: during the replacement: %v", sessions, err)
		}
		if got, err := os.ReadFile(p); string(got) != "10" {
			t.Errorf("%d sessions: content %q, error %v, want 10", sessions, got, err)
		}
	}
}

// TestSudoRefused checks which errors operations return if sudo rejects the password.
func TestSudoRefused(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	wrong := sshhost.Secret("wrong")
	o.User, o.Become = asked, &sshhost.Become{User: "root", Password: &wrong}
	h := open(t, o)
	_, err := h.Lstat(t.Context(), "/")
	if !errors.Is(err, host.ErrRefused) || !errors.Is(err, host.ErrNotElevated) || !strings.Contains(err.Error(), "sudo rejected the password") {
		t.Errorf("Lstat: error %v, want %v and %v: sudo rejected the password", err, host.ErrRefused, host.ErrNotElevated)
	}
	if _, err := h.Run(t.Context(), host.Command{Args: []string{"true"}}); !errors.Is(err, host.ErrRefused) {
		t.Errorf("Run: error %v, want %v", err, host.ErrRefused)
	}
}

// TestWithoutShell checks that, on a host with only SFTP, operations on files work, and
// those that need a shell return an error with the host's message.
func TestWithoutShell(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{Lines: []string{"ForceCommand internal-sftp"}})
	h, dir := open(t, o), t.TempDir()
	p := dir + "/file"
	attrs := host.Attributes{Mode: new(host.Mode(0o640))}
	for _, content := range []io.Reader{strings.NewReader("one"), strings.NewReader("one"), io.LimitReader(strings.NewReader("one"), 9)} {
		info, err := h.WriteFile(t.Context(), p, content, host.WriteOptions{Attributes: attrs})
		if err != nil || info.Mode != 0o640 || info.Owner != "root" || info.Group != "root" {
			t.Errorf("WriteFile returned %+v, error %v, want mode 0640, owner and group root", info, err)
		}
	}
	for _, target := range []string{"one", "two"} {
		if _, err := h.ReplaceSymlink(t.Context(), target, dir+"/link", nil); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(h.Link(t.Context(), p, dir+"/other"), host.RemoveOnly(t.Context(), h, dir+"/other", host.TypeRegular)); err != nil {
		t.Error(err)
	}
	_, err := h.LookupUser(t.Context(), "root")
	if !strings.Contains(fmt.Sprint(err), "sftp connections only") {
		t.Errorf("error %v, want one with: sftp connections only", err)
	}
	if _, err = h.Run(t.Context(), host.Command{Args: []string{"true"}}); !strings.Contains(fmt.Sprint(err), "sftp connections only") {
		t.Errorf("error %v, want one with: sftp connections only", err)
	}

	if err := h.Rename(t.Context(), p, dir+"/moved"); err != nil {
		t.Error(err)
	}
	_, sum, err := h.Digest(t.Context(), dir+"/moved")
	if got := fmt.Sprintf("%x", sum[:4]); got != "7692c3ad" {
		t.Errorf("digest %s, error %v, want 7692c3ad", got, err)
	}
	entries, err := h.ReadDir(t.Context(), dir)
	if err != nil || len(entries) != 2 || entries[0].Name != "link" || entries[1].Name != "moved" {
		t.Errorf("ReadDir returned %+v, error %v, want link and moved", entries, err)
	}
	tree, err := host.ReadTree(t.Context(), h, dir, host.TreeQuery{All: true, Digests: true})
	if err != nil || len(tree) != 3 {
		t.Errorf("ReadTree returned %+v, error %v, want 3 entries", tree, err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// TestWithoutStat checks that the first operation as root on a host whose shell has no stat, such
// as OpenWrt with an SFTP server, is done over SFTP.
func TestWithoutStat(t *testing.T) {
	t.Parallel()
	tools, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"sh", "cat", "ls", "readlink", "rm", "mv", "ln", "mkdir", "sleep", "id", "sha256sum"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, tools+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir+"/file", []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, o := serve(t, sshdtest.Config{Subsystem: sftptest.Path(t), Lines: []string{"ForceCommand PATH=" + tools + `; export PATH; eval "$SSH_ORIGINAL_COMMAND"`}})
	_, sum, err := open(t, o).Digest(t.Context(), dir+"/file")
	if got := fmt.Sprintf("%x", sum[:4]); got != "7692c3ad" || err != nil {
		t.Errorf("digest %s, error %v, want 7692c3ad", got, err)
	}
	if err := host.RemoveOnly(t.Context(), open(t, o), dir+"/file", host.TypeRegular); err != nil {
		t.Error(err)
	}
}

// TestNoAccess checks that WriteFile, on a host that has no shell and whose SFTP server lacks required
// extensions, creates no file, and that its error lists these extensions and contains the host's message.
func TestNoAccess(t *testing.T) {
	t.Parallel()
	for lacks, command := range map[string]string{
		"posix-rename@openssh.com, hardlink@openssh.com, fsync@openssh.com, lsetstat@openssh.com": fewExtensions,
		"users-groups-by-id@openssh.com": "internal-sftp -P users-groups-by-id",
	} {
		_, o := serve(t, sshdtest.Config{Lines: []string{"ForceCommand " + command}})
		h, p := open(t, o), t.TempDir()+"/file"
		_, err := h.WriteFile(t.Context(), p, strings.NewReader("one"), host.WriteOptions{})
		for _, want := range []string{lacks, "sftp connections only"} {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after WriteFile: Lstat returned %v, want %v", err, fs.ErrNotExist)
		}
	}
}

// TestMode checks the detected mode: files are accessed over SFTP unless the host has no
// usable SFTP server or only one session.
func TestMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		config   sshdtest.Config
		sessions int
		sftp     bool
	}{
		{"all", sshdtest.Config{}, 10, true},
		{"no SFTP", sshdtest.Config{Subsystem: sshdtest.None}, 10, false},
		{"few extensions", sshdtest.Config{Subsystem: fewExtensions}, 10, false},
		{"two sessions", sshdtest.Config{MaxSessions: 2}, 10, true},
		{"a single session", sshdtest.Config{MaxSessions: 1}, 10, false},
		{"a single session is configured", sshdtest.Config{}, 1, false},
	} {
		_, o := serve(t, tt.config)
		o.MaxSessions = tt.sessions
		h, dir := open(t, o), t.TempDir()
		for range 2 {
			info, err := h.Mkdir(t.Context(), dir+"/made", host.Attributes{})
			if err != nil || info.Owner != "root" {
				t.Errorf("%s: Mkdir returned %+v, error %v, want the owner root", tt.name, info, err)
			}
			// SFTP reports whole seconds.
			if err := os.Chtimes(dir, time.Time{}, time.Unix(1_700_000_000, 500_000_000)); err != nil {
				t.Fatal(err)
			}
			if info, err = h.Lstat(t.Context(), dir); err != nil || (info.ModTime.Nanosecond() == 0) != tt.sftp {
				t.Errorf("%s: Lstat returned %+v, error %v, want a time in whole seconds: %t", tt.name, info, err, tt.sftp)
			}
			result, err := h.Run(t.Context(), host.Command{Args: []string{"rmdir", dir + "/made"}})
			if err != nil || result.ExitCode != 0 {
				t.Errorf("%s: rmdir ended with %+v, error %v, want exit code 0", tt.name, result, err)
			}
		}
	}
}

// TestCopyInOneSession checks that a large file can be copied within a single session.
func TestCopyInOneSession(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 1})
	h, dir := open(t, o), t.TempDir()
	want := strings.Repeat("0123456789", 200_000)
	if err := os.WriteFile(dir+"/from", []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	_, content, err := h.Open(t.Context(), dir+"/from")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.WriteFile(t.Context(), dir+"/to", content, host.WriteOptions{})
	if err := errors.Join(err, content.Close()); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(dir + "/to"); string(got) != want {
		t.Errorf("%d bytes, error %v, want the same %d bytes", len(got), err, len(want))
	}
}

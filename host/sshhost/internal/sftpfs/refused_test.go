//go:build unix

package sftpfs_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

func put(t *testing.T, p string) string {
	t.Helper()
	if err := os.WriteFile(p, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// wantError checks that err is a [*host.Error] for p, that it matches all of want, and that
// it does not match fs.ErrNotExist.
func wantError(t *testing.T, err error, p string, want ...error) {
	t.Helper()
	var typed *host.Error
	if !errors.As(err, &typed) || typed.Path != p || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want a *host.Error for %s that does not match fs.ErrNotExist", err, p)
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("error %v, want %v", err, w)
		}
	}
}

// TestReadOnlyServer checks that operations on a read-only server change nothing and return
// permission errors.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	h, dir := newTestHost(t, newSessions(t, "-R"), nil), t.TempDir()
	p := put(t, dir+"/file")
	_, err := h.WriteFile(t.Context(), p, strings.NewReader("x"), host.WriteOptions{})
	wantError(t, err, p, fs.ErrPermission)
	wantError(t, h.Remove(t.Context(), p), p, fs.ErrPermission)
	_, err = h.Mkdir(t.Context(), dir+"/d", host.Attributes{})
	wantError(t, err, dir+"/d", fs.ErrPermission)
	wantNames(t, dir, "file")
}

// mounted mounts a tmpfs until the test ends and returns its path. It skips the test if the user cannot mount.
func mounted(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this user cannot mount file systems: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return dir
}

// TestDiskFailures checks that the error for a full or read-only file system, or for a rename or link to
// another file system, matches the reason, and that a write to a full file system leaves the file unchanged.
func TestDiskFailures(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, newSessions(t), nil)
	full := mounted(t, "size=2m,nr_inodes=20")
	_, err := h.WriteFile(t.Context(), full+"/file", strings.NewReader("old"), host.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.WriteFile(t.Context(), full+"/file", bytes.NewReader(make([]byte, 9<<20)), host.WriteOptions{})
	wantError(t, err, full+"/file", syscall.ENOSPC)
	wantNames(t, full, "file")
	if got, err := os.ReadFile(full + "/file"); string(got) != "old" {
		t.Errorf("content %q, error %v, want old", got, err)
	}
	for i := 0; err == nil || i == 0; i++ {
		_, err = h.Mkdir(t.Context(), full+"/"+strings.Repeat("d", i+1), host.Attributes{})
	}
	wantError(t, err, err.(*host.Error).Path, syscall.ENOSPC) //nolint:errorlint // the error is not wrapped
	_, err = h.WriteFile(t.Context(), full+"/file", strings.NewReader("new"), host.WriteOptions{})
	wantError(t, err, full+"/file", syscall.ENOSPC)

	elsewhere := t.TempDir()
	wantError(t, h.Rename(t.Context(), full+"/file", elsewhere+"/file"), elsewhere+"/file", syscall.EXDEV)
	wantError(t, h.Link(t.Context(), full+"/file", elsewhere+"/file"), elsewhere+"/file", syscall.EXDEV)
	wantError(t, h.Rmdir(t.Context(), full), full)

	if out, err := exec.Command("mount", "-o", "remount,ro", full).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err = h.WriteFile(t.Context(), full+"/file", strings.NewReader("new"), host.WriteOptions{})
	wantError(t, err, full+"/file", syscall.EROFS)
	wantError(t, h.Remove(t.Context(), full+"/file"), full+"/file", syscall.EROFS)
	_, err = h.SetAttributes(t.Context(), full+"/file", host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o644))})
	wantError(t, err, full+"/file", syscall.EROFS)
}

// TestOwnerBeforeMode checks that a mode that has setuid or setgid or that differs for the new group and
// others is set after the owner and group: if their change fails, the mode must not have been set.
func TestOwnerBeforeMode(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a server as another user")
	}
	const nobody = 65534
	var mu sync.Mutex
	var modes []uint32
	s := newSessions(t)
	plain := s.command
	s.command = func() *exec.Cmd {
		cmd := plain()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return cmd
	}
	s.wrap = func(_ int, server *sftptest.Server) io.ReadWriteCloser {
		return &sftptest.Tap{Server: server, Request: func(kind byte, body []byte) sftptest.Outcome {
			if kind == 10 { // FSETSTAT
				attrs := body[4+binary.BigEndian.Uint32(body):]
				if flags := binary.BigEndian.Uint32(attrs); flags == 4 {
					mu.Lock()
					modes = append(modes, binary.BigEndian.Uint32(attrs[4:]))
					mu.Unlock()
				}
			}
			return sftptest.Pass
		}}
	}
	h, dir := newTestHost(t, s, nil), openDir(t)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode     host.Mode
		uid, gid *uint32
		apart    bool
	}{
		{0o640, nil, new(uint32(0)), true},
		{0o604, nil, new(uint32(0)), true}, // the mode denies the group what it allows others
		{0o2755, nil, new(uint32(0)), true},
		{0o4755, new(uint32(0)), nil, true},
		{0o644, new(uint32(0)), new(uint32(0)), false},
		{0o640, new(uint32(0)), nil, false},
	} {
		modes = nil
		_, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader("secret"), host.WriteOptions{
			Attributes: host.Attributes{Mode: &tt.mode, UID: tt.uid, GID: tt.gid},
		})
		wantError(t, err, dir+"/file", fs.ErrPermission)
		mu.Lock()
		if (len(modes) == 0) != tt.apart {
			t.Errorf("mode %s: modes %o were set, want none: %t", tt.mode, modes, tt.apart)
		}
		mu.Unlock()
		wantNames(t, dir)
	}
}

// asNobody returns a host whose server runs as another user, and a directory of that user. It
// skips the test if the user is not root.
func asNobody(t *testing.T) (testHost, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a server as another user")
	}
	const nobody = 65534
	s, dir := newSessions(t), openDir(t)
	plain := s.command
	s.command = func() *exec.Cmd {
		cmd := plain()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return cmd
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return newTestHost(t, s, nil), dir
}

// TestSilentlyDropped checks that it is an error if chmod(2) silently drops setgid because
// the caller is not in the group, and that a write then leaves no file.
func TestSilentlyDropped(t *testing.T) {
	t.Parallel()
	h, dir := asNobody(t)
	p := put(t, dir+"/file")
	if err := errors.Join(os.Chown(p, 65534, 0), os.Chown(dir, 65534, 0), os.Chmod(dir, fs.ModeSetgid|0o755)); err != nil {
		t.Fatal(err)
	}
	attrs := host.Attributes{Mode: new(host.Mode(0o2755))}
	_, err := h.SetAttributes(t.Context(), p, host.TypeUnknown, attrs)
	wantError(t, err, p)
	_, err = h.WriteFile(t.Context(), dir+"/new", strings.NewReader("x"), host.WriteOptions{Attributes: attrs})
	wantError(t, err, dir+"/new")
	wantNames(t, dir, "file")
}

// TestOrderOfChanges checks that, if both mode and owner change, no intermediate state
// grants more than both the old and the new state do.
func TestOrderOfChanges(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners")
	}
	var order []string
	p := t.TempDir() + "/file"
	h, _ := tapped(t, 0, func(_ byte, body []byte) sftptest.Outcome {
		if bytes.Contains(body, []byte("lsetstat")) {
			info, err := os.Lstat(p)
			order = append(order, fmt.Sprint(info.Mode(), info.Sys().(*syscall.Stat_t).Uid, err))
		}
		return sftptest.Pass
	})
	if err := os.Chmod(put(t, p), 0o664); err != nil {
		t.Fatal(err)
	}
	info, err := h.SetAttributes(t.Context(), p, host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o755)), UID: new(uint32(5))})
	if err != nil || info.Mode != 0o755 || info.UID != 5 {
		t.Errorf("SetAttributes returned %+v, error %v, want mode 0755 and UID 5", info, err)
	}
	want := []string{"-rw-rw-r-- 0 <nil>", "-rw-r--r-- 0 <nil>", "-rw-r--r-- 5 <nil>"}
	if !slices.Equal(order, want) {
		t.Errorf("states before each change: %q, want %q", order, want)
	}
}

// TestModeOfLink checks that a link that replaces the file just before its mode is set is
// not followed, not even by the fallback for servers without /proc.
func TestModeOfLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, target := put(t, dir+"/file"), put(t, dir+"/target")
	h, _ := tapped(t, 0, func(_ byte, body []byte) sftptest.Outcome {
		if bytes.Contains(body, []byte("lsetstat")) {
			if err := errors.Join(os.Remove(p), os.Symlink(target, p)); err != nil {
				t.Error(err)
			}
		}
		return sftptest.Pass
	})
	_, err := h.SetAttributes(t.Context(), p, host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o777))})
	wantError(t, err, p, host.ErrIsSymlink)
	if info, err := os.Lstat(target); err != nil || info.Mode() != 0o600 {
		t.Errorf("the target of the link is %v, error %v, want mode 0600", info, err)
	}
}

// TestListWithoutEntering checks that a directory that may be read but not entered is not
// reported as empty.
func TestListWithoutEntering(t *testing.T) {
	t.Parallel()
	h, dir := asNobody(t)
	put(t, dir+"/file")
	if err := errors.Join(os.Chown(dir, 0, 0), os.Chmod(dir, 0o744)); err != nil {
		t.Fatal(err)
	}
	entries, err := h.ReadDir(t.Context(), dir)
	wantError(t, err, dir, fs.ErrPermission)
	if len(entries) != 0 {
		t.Errorf("ReadDir returned %+v, want no entries", entries)
	}
}

// TestStalled checks that calls end soon after their context if the server stops
// responding.
func TestStalled(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	for _, stall := range []byte{3, 6, 200} { // at OPEN, WRITE, and the rename
		var mu sync.Mutex
		stalled := make(chan struct{})
		resume := make(chan struct{})
		h, tap := tapped(t, 0, nil)
		dir := t.TempDir()
		var once sync.Once
		tap.Request = func(kind byte, body []byte) sftptest.Outcome {
			if kind == stall && (kind != 200 || bytes.Contains(body, []byte("posix-rename"))) {
				mu.Lock()
				defer mu.Unlock()
				once.Do(func() { close(stalled) })
				<-resume
			}
			return sftptest.Pass
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := h.WriteFile(ctx, dir+"/file", strings.NewReader("x"), host.WriteOptions{})
			ended <- err
		}()
		<-stalled
		start := time.Now()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("stalled at %d: error %v, want %v", stall, err, context.Canceled)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("stalled at %d: the call took %s to end, want at most 20s", stall, took)
		}
		close(resume)
		if _, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader("next"), host.WriteOptions{}); err != nil {
			t.Error(err)
		}
		wantNames(t, dir, "file")
	}
}

//go:build unix

package shellfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
)

// TestLeftoversInNewDirectory checks that a directory that did not exist when it was searched for
// temporary files is searched again.
func TestLeftoversInNewDirectory(t *testing.T) {
	t.Parallel()
	h, dir := newShellHost(t, &remotetest.Starter{}), t.TempDir()+"/dir"
	processSet, _, _ := strings.Cut(lease.New(), "-")
	ended := exec.CommandContext(t.Context(), "true")
	if err := errors.Join(ended.Run(), h.RemoveTemp(t.Context(), dir+"/file")); err != nil {
		t.Fatal(err)
	}
	temp := host.TempPath(dir+"/file", fmt.Sprintf("%s-%d-abcdef", processSet, ended.Process.Pid))
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(temp, []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	write(t, h, dir+"/file", "", host.WriteOptions{})
	if _, err := os.Lstat(temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of the leftover returned %v, want fs.ErrNotExist", err)
	}
}

// TestLeftovers checks that a leftover is removed if the process in its name has ended, or if it
// is older than [lease.Age].
func TestLeftovers(t *testing.T) {
	t.Parallel()
	processSet, _, _ := strings.Cut(lease.New(), "-")
	ended := exec.CommandContext(t.Context(), "true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, variant string
		age           time.Duration
		stays         bool
	}{
		{"ended process", fmt.Sprintf("%s-%d-abcdef", processSet, ended.Process.Pid), 0, false},
		{"live process", fmt.Sprintf("%s-%d-abcdef", processSet, os.Getpid()), 0, true},
		{"live process, old file", fmt.Sprintf("%s-%d-abcdef", processSet, os.Getpid()), time.Hour, false},
		{"another host", "00000000-1-abcdef", time.Minute, true},
		{"another host, old file", "00000000-1-abcdef", 11 * time.Minute, false},
		{"no lease", "abcdef", time.Minute, true},
		{"no lease, old file", "abcdef", 11 * time.Minute, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newShellHost(t, &remotetest.Starter{})
			write(t, h, t.TempDir()+"/file", "", host.WriteOptions{}) // determines the host's clock
			for name, do := range map[string]func(path string) error{
				"write": func(p string) error {
					_, err := h.WriteFile(t.Context(), p, strings.NewReader("x"), host.WriteOptions{})
					return err
				},
				"link":       func(p string) error { _, err := h.ReplaceSymlink(t.Context(), "x", p, nil); return err },
				"RemoveTemp": func(p string) error { return h.RemoveTemp(t.Context(), p) },
				"Remove":     func(p string) error { _ = h.Remove(t.Context(), p); return nil },
			} {
				target := filepath.Join(t.TempDir(), name)
				temp := host.TempPath(target, tt.variant)
				if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
					t.Fatal(err)
				}
				changed := time.Now().Add(-tt.age)
				if err := os.Chtimes(temp, changed, changed); err != nil {
					t.Fatal(err)
				}
				if err := do(target); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(temp); (err == nil) != tt.stays {
					t.Errorf("%s: Lstat of the leftover returned %v, want the leftover to stay: %t", name, err, tt.stays)
				}
			}
		})
	}
}

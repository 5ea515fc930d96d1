package sshdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ErrMissing means that a program is not installed.
var ErrMissing = errors.New("run make prepare as root, or install openssh-server and sudo")

// lookPath searches for a program in the PATH and then in the directories of system
// programs.
func lookPath(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is missing: %w", name, ErrMissing)
}

// Require skips a test if sshd cannot be run, and fails it if sshd is missing
// and CI is set.
func Require(tb testing.TB) {
	tb.Helper()
	require(tb, "sshd")
	if err := sandbox(); err != nil && os.Geteuid() == 0 {
		tb.Skipf("sshd as root without a sandbox would change this host: %v", err)
	}
}

// RequireUsers skips a test if a server cannot have its own users with
// passwords and sudo, and fails it if sshd or sudo is missing and CI is set.
func RequireUsers(tb testing.TB) {
	tb.Helper()
	require(tb, "sshd")
	if err := sandbox(); err != nil {
		tb.Skipf("sshd cannot have its own users: %v", err)
	}
	require(tb, "sudo")
}

func require(tb testing.TB, program string) {
	tb.Helper()
	if _, err := lookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
}

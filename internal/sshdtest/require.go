package sshdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ErrMissing says that a program is not there, and what to do about it.
var ErrMissing = errors.New("run make prepare as root, or install openssh-server and sudo")

// find is where sshd is. It has to be run by its full path.
func find() (string, error) { return lookPath("sshd") }

// lookPath looks also where only root's PATH does.
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

// Require skips a test where sshd can not be run, and fails it where it is
// missing and CI is set.
func Require(tb testing.TB) {
	tb.Helper()
	require(tb, "sshd")
	if err := sandbox(); err != nil && os.Geteuid() == 0 {
		tb.Skipf("as root sshd would change this machine: %v", err)
	}
}

// RequireUsers skips a test where a server can not have users of its own, with
// passwords and sudo.
func RequireUsers(tb testing.TB) {
	tb.Helper()
	require(tb, "sshd")
	if err := sandbox(); err != nil {
		tb.Skipf("no users for sshd: %v", err)
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

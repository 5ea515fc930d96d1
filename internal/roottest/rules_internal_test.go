package roottest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestBaseName checks that the name of a base depends only on its release and its set of
// packages.
func TestBaseName(t *testing.T) {
	t.Parallel()
	name := func(packages ...string) string { return baseName("bookworm", Options{Packages: packages}.packages()) }
	if a, b := name("cron", "sudo"), name("sudo", "cron", "sudo"); a != b {
		t.Errorf("the same set of packages has the names %s and %s", a, b)
	}
	seen := map[string]bool{}
	for _, n := range []string{name(), name("cron"), name("sudo"), name("cron", "sudo"), name("cronsudo"), baseName("trixie", nil), baseName("trixie", []string{"cron"})} {
		if seen[n] || !strings.Contains(n, "-") {
			t.Errorf("the name %s is not unique, or has no dash", n)
		}
		seen[n] = true
	}
}

// TestEnvironment checks that the environment of a root has no paths, locales or agents
// of the user or the host.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := environment([]string{
		"HOME=/home/me", "TMPDIR=/scratch", "PATH=/opt/bin", "LC_ALL=de_DE", "LANG=de_DE", "XDG_RUNTIME_DIR=/run/user/1",
		"SSH_AUTH_SOCK=/x", "KEEP=a=b", "TWICE=1",
	}, "TWICE=2")
	want := []string{
		"HOME=/root", "KEEP=a=b", "LANG=C.UTF-8", "LOGNAME=root", "PATH=" + standardPath, "SHELL=/bin/sh", "TMPDIR=/tmp", "TWICE=2", "USER=root",
	}
	if !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

// TestRefuse checks which errors skip tests and which make them fail.
func TestRefuse(t *testing.T) { //nolint:paralleltest // sets environment variables
	missing, impossible := fmt.Errorf("debootstrap is missing: %w", errMissing), fmt.Errorf("%w: only the user root can create them", errImpossible)
	for _, tt := range []struct {
		ci, acc string
		err     error
		fails   bool
	}{
		{"", "", missing, false},
		{"", "", impossible, false},
		{"", "", errors.New("the archive cannot be reached"), true},
		{"", "require", missing, true},
		{"", "require", impossible, false},
		{"true", "", missing, true},
		{"true", "", impossible, true},
		{"true", "require", impossible, true},
	} {
		t.Setenv("CI", tt.ci)
		t.Setenv("POSIX_ACC", tt.acc)
		if fails := refuse(tt.err); fails != tt.fails {
			t.Errorf("CI=%s POSIX_ACC=%s, %v: fails %t, want %t", tt.ci, tt.acc, tt.err, fails, tt.fails)
		}
	}
}

package roottest_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// outside skips a test if envInside is set, as it is in a root.
func outside(t *testing.T) {
	t.Helper()
	if os.Getenv(envInside) != "" {
		t.Skip("this test runs only outside of a root")
	}
}

// inRoot returns the command that runs tests of this binary in a root. It skips the test in
// the fast tier and in a root.
func inRoot(t *testing.T, kind string, args ...string) *exec.Cmd {
	t.Helper()
	tier.CI(t)
	outside(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), envInside+"="+kind, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// status runs a command and returns its exit status and output. It skips the test as
// skipIfRefused does.
func status(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	skipIfRefused(t, string(out))
	return cmd.ProcessState.ExitCode(), string(out)
}

// skipIfRefused skips a test if out has the message of Main that all tests are skipped, and a reason
// is found: the user is not root, the host is not Debian or a derivative, or debootstrap is missing.
func skipIfRefused(t *testing.T, out string) {
	t.Helper()
	_, noDebian := os.Stat("/etc/debian_version")
	_, noTool := os.Stat("/usr/sbin/debootstrap")
	if strings.Contains(out, "roottest: all tests are skipped") && (os.Geteuid() != 0 || noDebian != nil || noTool != nil) {
		t.Skip(out)
	}
}

// state has files and settings of the host that tests change in a root.
type state struct{ files map[string]string }

// hostState returns the current state of the host.
func hostState(t *testing.T) state {
	t.Helper()
	s := state{files: map[string]string{}}
	for _, path := range []string{
		mounts, "/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname", "/proc/sys/net/ipv4/ip_default_ttl",
		"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/etc/roottest-file", "/var/lib/dpkg/status",
	} {
		content, err := os.ReadFile(path)
		if err != nil {
			content = []byte(filepath.Base(path) + " does not exist")
		}
		s.files[path] = string(content)
	}
	// Ignore mounts below the directory for temporary files: tests of other
	// packages mount there at the same time.
	s.files[mounts] = strings.Join(slices.DeleteFunc(strings.Split(s.files[mounts], "\n"), func(line string) bool {
		return strings.Contains(line, " "+os.TempDir()+"/")
	}), "\n")
	return s
}

const mounts = "/proc/self/mounts"

// same fails the test if the current state of the host differs from s.
func (s state) same(t *testing.T) {
	t.Helper()
	for path, now := range hostState(t).files {
		if s.files[path] != now {
			t.Errorf("%s of the host changed", path)
		}
	}
}

// TestHostIsUnchanged checks that changes in a root do not affect the host.
func TestHostIsUnchanged(t *testing.T) {
	before := hostState(t)
	code, out := status(t, inRoot(t, "plain", "-test.run=^TestInside(Changes|ReadOnly|Orphans|Packages|Starts)$", "-test.v"))
	if code != 0 || !strings.Contains(out, "changed by roottest-alice") || strings.Contains(out, "SKIP") {
		t.Errorf("status %d:\n%s", code, out)
	}
	code, out = status(t, inRoot(t, "private", "-test.run=^TestInsideNetwork$"))
	if code != 0 {
		t.Errorf("status %d:\n%s", code, out)
	}
	before.same(t)
}

// TestStatus checks that Main runs the test binary in a root with the same arguments, and exits
// with its exit status.
func TestStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		want int
		word string
	}{
		"success":  {[]string{"-test.run=^TestInsideOrphans$", "-test.v"}, 0, "--- PASS: TestInsideOrphans"},
		"required": {[]string{"-test.run=^TestInsideRequired$", "-test.v"}, 0, "--- PASS: TestInsideRequired"},
		"failure":  {[]string{"-test.run=^TestInsideFails$", "-test.v"}, 1, "--- FAIL: TestInsideFails"},
		"exit":     {[]string{"-test.run=^TestInsideExits$"}, 42, ""},
		"timeout":  {[]string{"-test.run=^TestInsideWaits$", "-test.timeout=1s"}, 2, "panic: test timed out after 1s"},
		"none":     {[]string{"-test.run=^TestInsideNobody$"}, 0, "no tests to run"},
		"list":     {[]string{"-test.list=Fails"}, 0, "TestInsideFails\n"},
		"fuzz":     {[]string{"-test.run=^$", "-test.fuzz=FuzzInside", "-test.fuzztime=50x", "-test.fuzzcachedir=" + t.TempDir()}, 0, "PASS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out := status(t, inRoot(t, "plain", tt.args...))
			if code != tt.want || !strings.Contains(out, tt.word) {
				t.Errorf("exit status %d, want %d, and %q in the output:\n%s", code, tt.want, tt.word, out)
			}
		})
	}
}

// TestFastTier checks that the fast tier skips tests that need a root.
func TestFastTier(t *testing.T) {
	t.Parallel()
	outside(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.short", "-test.v", "-test.run=^TestInsideRequired$")
	cmd.Env = append(os.Environ(), envInside+"=plain")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- SKIP: TestInsideRequired") || !strings.Contains(string(out), "make ci runs this test") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestEngine checks that tests in a root find the same OpenTofu or Terraform as tests outside of it.
func TestEngine(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	outside(t)
	found, _, err := tfcli.FromEnvironment().Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "engine")
	if err := os.Symlink(found.Path, elsewhere); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][]string{"found": nil, "named": {tfcli.EnvOverride + "=" + elsewhere, "PATH=/usr/bin:/bin"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := inRoot(t, "plain", "-test.run=^TestInsideEngine$")
			cmd.Env = append(cmd.Env, env...)
			code, out := status(t, cmd)
			if code != 0 || !strings.Contains(out, "engine: "+found.String()+"\n") {
				t.Errorf("status %d, want %s:\n%s", code, found, out)
			}
		})
	}
}

// TestKilled checks that a root ends with the process that started it, even if the process
// is killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	cmd := inRoot(t, "plain", "-test.run=^TestInsideWaits$", "-test.v")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = time.Second // remaining processes keep its streams open
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	space := ""
	lines := bufio.NewScanner(out)
	for space == "" && lines.Scan() {
		_, space, _ = strings.Cut(lines.Text(), "waiting in ")
	}
	if space == "" {
		_ = cmd.Wait()
		skipIfRefused(t, stderr.String())
		t.Fatal(stderr.String())
	}
	if n := len(processesIn(t, space)); n < 3 { // the first process, the test binary and sleep
		t.Errorf("%d processes are in the root, want at least 3", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		left := processesIn(t, space)
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("processes outlive the test binary: %q", left)
			break
		}
	}
	_ = cmd.Wait() // killed
	noMounts(t)
}

// noMounts checks that the host has no mounts of roots.
func noMounts(t *testing.T) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(mounts, []byte("roottest")) || bytes.Contains(mounts, []byte(".cache/roots")) {
		t.Errorf("a mount outlives the test binary:\n%s", mounts)
	}
}

// processesIn returns the links in /proc to a namespace such as "mnt:[1]", one for each process in it.
func processesIn(t *testing.T, space string) []string {
	t.Helper()
	kind, _, _ := strings.Cut(space, ":")
	links, err := filepath.Glob("/proc/[0-9]*/ns/" + kind)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(links, func(link string) bool {
		at, err := os.Readlink(link)
		return err != nil || at != space
	})
}

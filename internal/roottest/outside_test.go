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

// outside skips what is not for a root.
func outside(t *testing.T) {
	t.Helper()
	if os.Getenv(envInside) != "" {
		t.Skip("this test is about the machine")
	}
}

// inRoot is this binary with tests that run in a root.
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

// status runs it to its end.
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

// skipIfRefused skips a test where this system can have no roots. As root, on
// Debian, with debootstrap, it can.
func skipIfRefused(t *testing.T, out string) {
	t.Helper()
	_, noDebian := os.Stat("/etc/debian_version")
	_, noTool := os.Stat("/usr/sbin/debootstrap")
	if strings.Contains(out, "roottest: all tests are skipped") && (os.Geteuid() != 0 || noDebian != nil || noTool != nil) {
		t.Skip(out)
	}
}

// state is what of the machine tests in a root change there.
type state struct{ files map[string]string }

// machineNow reads it.
func machineNow(t *testing.T) state {
	t.Helper()
	s := state{files: map[string]string{}}
	for _, path := range []string{
		mounts, "/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname", "/proc/sys/net/ipv4/ip_default_ttl",
		"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/etc/roottest-file", "/var/lib/dpkg/status",
	} {
		content, err := os.ReadFile(path)
		if err != nil {
			content = []byte(filepath.Base(path) + " is not there")
		}
		s.files[path] = string(content)
	}
	// Tests of other packages, which run at the same time, mount below the directory for temporary files.
	s.files[mounts] = strings.Join(slices.DeleteFunc(strings.Split(s.files[mounts], "\n"), func(line string) bool {
		return strings.Contains(line, " "+os.TempDir()+"/")
	}), "\n")
	return s
}

const mounts = "/proc/self/mounts"

// same fails the test where it is not as it was.
func (s state) same(t *testing.T) {
	t.Helper()
	for path, now := range machineNow(t).files {
		if s.files[path] != now {
			t.Errorf("%s of the machine changed", path)
		}
	}
}

// What happens in a root is for the root alone.
func TestMachineStays(t *testing.T) {
	before := machineNow(t)
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

// The root's status is the test binary's own, and so are its arguments.
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
				t.Errorf("status %d, want %d with %q:\n%s", code, tt.want, tt.word, out)
			}
		})
	}
}

// TestFastTier runs the tests of a package in the fast tier, which needs no root.
func TestFastTier(t *testing.T) {
	t.Parallel()
	outside(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.short", "-test.v", "-test.run=^TestInsideRequired$")
	cmd.Env = append(os.Environ(), envInside+"=plain")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- SKIP: TestInsideRequired") || !strings.Contains(string(out), "make ci runs it") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// In a root the engine is the one that tests outside would use, wherever it is.
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

// Nothing outlives who started it, even if that cannot clean up.
func TestKilled(t *testing.T) {
	t.Parallel()
	cmd := inRoot(t, "plain", "-test.run=^TestInsideWaits$", "-test.v")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = time.Second // what outlives it has its streams
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
	if n := len(residents(t, space)); n < 3 { // the first process, the tests, sleep
		t.Errorf("%d processes are in the root", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		left := residents(t, space)
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("processes outlive the test binary: %q", left)
			break
		}
	}
	_ = cmd.Wait() // it was killed
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(mounts, []byte("roottest")) || bytes.Contains(mounts, []byte(".cache/roots")) {
		t.Errorf("a mount outlives the test binary:\n%s", mounts)
	}
}

// residents are the processes in a namespace of mounts.
func residents(t *testing.T, space string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(links, func(link string) bool {
		at, err := os.Readlink(link)
		return err != nil || at != space
	})
}

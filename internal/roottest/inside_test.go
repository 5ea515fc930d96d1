package roottest_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// envInside is the environment variable that makes this binary run its tests in a root, with the
// value "private" in a root with its own network.
const envInside = "ROOTTEST_INSIDE"

func TestMain(m *testing.M) {
	switch os.Getenv(envInside) {
	case "":
		m.Run()
	case "private":
		roottest.Main(m, roottest.Options{PrivateNet: true, Packages: []string{"procps"}})
	default:
		roottest.Main(m, roottest.Options{})
	}
}

// within skips a test unless envInside is set.
func within(t *testing.T) {
	t.Helper()
	if os.Getenv(envInside) == "" {
		t.Skip("part of another test")
	}
}

// run runs a program and returns its output.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestInsideChanges(t *testing.T) {
	within(t)
	run(t, "hostname", "another-name")
	run(t, "useradd", "--create-home", "roottest-alice")
	run(t, "mount", "-t", "tmpfs", "tmpfs", "/mnt")
	if err := os.WriteFile("/etc/roottest-file", nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("/proc/sys/kernel/domainname", []byte("roottest.example"), 0o600); err != nil {
		t.Error(err)
	}
	// A directory of the base can be renamed.
	if err := os.Rename("/etc/skel", "/etc/skel.before"); err != nil {
		t.Error(err)
	}
	fmt.Println("changed by", run(t, "su", "roottest-alice", "-c", "id -un"))
}

func TestInsideNetwork(t *testing.T) {
	within(t)
	if got := run(t, "sysctl", "-w", "net.ipv4.ip_default_ttl=77"); got != "net.ipv4.ip_default_ttl = 77" {
		t.Errorf("got output %q of sysctl, want the new value 77", got)
	}
	if got := run(t, "sh", "-c", "ls /sys/class/net && cat /sys/class/net/lo/flags"); got != "lo\n0x9" {
		t.Errorf("got interfaces and flags %q, want only lo, which is up", got)
	}
}

// TestInsideReadOnly checks that a root cannot change kernel settings or the clock of the
// host.
func TestInsideReadOnly(t *testing.T) {
	within(t)
	for _, path := range []string{"/proc/sys/vm/swappiness", "/proc/sys/kernel/panic", "/proc/sys/net/ipv4/ip_default_ttl", "/sys/kernel/profiling", "/proc/sysrq-trigger"} {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			continue
		}
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			f.Close()
			t.Errorf("%s can be opened for writing, want an error", path)
		}
	}
	now := fmt.Sprintf("@%d", time.Now().Unix()) // the current time, to change nothing if date succeeds
	if out, err := exec.Command("date", "--set", now).CombinedOutput(); err == nil {
		t.Errorf("the clock was set: %s", out)
	}
}

func TestInsideEngine(t *testing.T) {
	within(t)
	found, rejected, err := tfcli.FromEnvironment().Find(t.Context())
	if err != nil {
		t.Fatalf("%v %v", err, rejected)
	}
	fmt.Println("engine: " + found.String())
}

func TestInsidePackages(t *testing.T) {
	within(t)
	run(t, "apt-get", "install", "--yes", "--no-install-recommends", "cron")
	run(t, "dpkg", "--verify", "cron")
}

// TestInsideOrphans checks that orphans are reaped.
func TestInsideOrphans(t *testing.T) {
	within(t)
	pid := run(t, "sh", "-c", "(sleep 0.05 >/dev/null 2>&1 & echo $!)")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat("/proc/" + pid); os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s still exists:\n%s", pid, run(t, "cat", "/proc/"+pid+"/status"))
		}
	}
}

// TestInsideStarts checks that a root can be started in a root.
func TestInsideStarts(t *testing.T) {
	within(t)
	r := roottest.Start(t, roottest.Options{})
	if got := r.Run(t, "hostname"); got != r.Hostname || got == run(t, "hostname") {
		t.Errorf("%s: got hostname %s", r.Hostname, got)
	}
}

// TestInsideRequired checks that, in the fast tier, tests that need a root are skipped and
// Exposed returns an error, and that such tests run in a root otherwise.
func TestInsideRequired(t *testing.T) {
	within(t)
	if err := roottest.Exposed(); testing.Short() != (err != nil) {
		t.Errorf("with -short=%t, Exposed returned %v, want an error only with -short=true", testing.Short(), err)
	}
	roottest.Require(t)
	if name, err := os.Hostname(); err != nil || name != "roottest" {
		t.Errorf("got hostname %s, error %v, want roottest", name, err)
	}
}

func TestInsideFails(t *testing.T) {
	within(t)
	t.Fail()
}

func TestInsideExits(t *testing.T) {
	within(t)
	os.Exit(42)
}

func TestInsideWaits(t *testing.T) {
	within(t)
	if err := exec.Command("setsid", "--fork", "sleep", "1000").Run(); err != nil {
		t.Fatal(err)
	}
	space, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("waiting in " + space)
	time.Sleep(time.Hour)
}

func FuzzInside(f *testing.F) {
	f.Fuzz(func(t *testing.T, _ int) {
		if got, err := os.Hostname(); err != nil || os.Getenv(envInside) != "" && got != "roottest" {
			t.Errorf("a fuzzing worker has the hostname %s, error %v, want roottest", got, err)
		}
	})
}

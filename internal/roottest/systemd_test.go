package roottest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestSystemd checks that systemd runs in a root and reboots, and what a reboot keeps.
func TestSystemd(t *testing.T) {
	t.Parallel()
	outside(t)
	tier.CI(t)
	before := hostState(t)
	r := roottest.Start(t, roottest.Options{Systemd: true})
	h := login(t, r)
	over := func(script string) string {
		var out strings.Builder
		result, err := h.Run(t.Context(), host.Command{Args: []string{"sh", "-c", script}, Stdout: &out, Stderr: &out})
		if err != nil || result.ExitCode != 0 {
			t.Errorf("%s: %v, exit code %d: %s", script, err, result.ExitCode, out.String())
		}
		return strings.TrimSpace(out.String())
	}
	bootID := over("cat /proc/sys/kernel/random/boot_id")
	if hosts, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err != nil || strings.TrimSpace(string(hosts)) == bootID {
		t.Errorf("got boot ID %s, want one that differs from that of the host, %q (error %v)", bootID, hosts, err)
	}
	if got, want := over("cat /proc/1/comm; systemctl is-active ssh dbus; hostname"), "systemd\nactive\nactive\n"+r.Hostname; got != want {
		t.Errorf("commands over SSH printed %q, want %q", got, want)
	}
	// The cgroups of the root are visible in it. The cgroup of the host that contains them is not.
	if got := over("cat /proc/1/cgroup | grep ^0:; ls -d /sys/fs/cgroup/roottest-* 2>&1 | grep -c cannot"); got != "0::/init.scope\n1" {
		t.Errorf("got cgroups %q, want %q", got, "0::/init.scope\n1")
	}
	over("hostnamectl set-hostname renamed; touch /etc/kept /run/lost; mount -t tmpfs tmpfs /mnt; systemd-run --unit=lost sleep infinity")
	if _, err := os.Stat(filepath.Join(r.Dir, "etc", "kept")); err != nil {
		t.Errorf("cannot stat a file of the root: %v", err)
	}
	if r.Boots() != 1 {
		t.Errorf("%d boots, want 1", r.Boots())
	}
	_, _ = h.Run(t.Context(), host.Command{Args: []string{"systemctl", "reboot"}}) // the connection may break first
	r.WaitBoot(t, 2)
	_ = h.Close() // the connection belongs to the first boot
	h = login(t, r)
	if got := over("cat /proc/sys/kernel/random/boot_id"); got == bootID {
		t.Errorf("the boot ID is still %s after the reboot, want a new one", got)
	}
	if got, want := over("hostname; ls -d /etc/kept /run/lost 2>/dev/null; findmnt /mnt; systemctl is-active lost || :"), "renamed\n/etc/kept\ninactive"; got != want {
		t.Errorf("after the reboot, commands printed %q, want %q", got, want)
	}
	if r.Boots() != 2 {
		t.Errorf("%d boots, want 2", r.Boots())
	}
	before.same(t)
}

// TestSystemdKilled checks that nothing of a root with systemd remains if the process that
// started it is killed, and that the next root removes the cgroup that an earlier root left behind.
func TestSystemdKilled(t *testing.T) {
	outside(t)
	tier.CI(t)
	left := filepath.Join(cgroupMount(t), "roottest-left")
	if err := os.MkdirAll(filepath.Join(left, "root", "system.slice"), 0o755); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestOutsideWaits$", "-test.v")
	cmd.Env = append(os.Environ(), envWaits+"=1")
	cmd.WaitDelay = time.Second // remaining processes keep its streams open
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	space, log := "", ""
	for lines := bufio.NewScanner(out); space == "" && lines.Scan(); {
		log += lines.Text() + "\n"
		_, space, _ = strings.Cut(lines.Text(), "waiting in ")
	}
	if space == "" {
		_ = cmd.Wait()
		if strings.Contains(log, "--- SKIP") {
			t.Skip(log)
		}
		t.Fatal(log)
	}
	processes := processesIn(t, space)
	if len(processes) < 5 { // systemd, the journal, dbus, logind, sshd
		t.Fatalf("processes of the root: %q, want at least 5", processes)
	}
	text, err := os.ReadFile(filepath.Join(processes[0], "..", "..", "cgroup"))
	if err != nil {
		t.Fatal(err)
	}
	group := regexp.MustCompile("roottest-[A-Z0-9]+").FindString(string(text))
	if got := cgroups(t); !slices.Contains(got, group) {
		t.Errorf("no cgroup %s in %q", group, got)
	}
	if slices.Contains(cgroups(t), filepath.Base(left)) {
		t.Errorf("the cgroup %s of an earlier root was not removed", left)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		processes, group := processesIn(t, space), slices.Contains(cgroups(t), group)
		if len(processes) == 0 && !group {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("a minute after the process was killed: processes %q, cgroup %t, want none and false", processes, group)
			break
		}
	}
	_ = cmd.Wait() // killed
	noMounts(t)
}

// envWaits is the environment variable that makes TestOutsideWaits start a root with systemd and
// wait.
const envWaits = "ROOTTEST_WAITS"

func TestOutsideWaits(t *testing.T) {
	if os.Getenv(envWaits) == "" {
		t.Skip("part of another test")
	}
	r := roottest.Start(t, roottest.Options{Systemd: true})
	fmt.Println("waiting in " + r.Run(t, "readlink", "/proc/self/ns/pid"))
	time.Sleep(time.Hour)
}

// cgroups returns the names of the cgroups of roots.
func cgroups(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(cgroupMount(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "roottest-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// cgroupMount returns the directory of the cgroup of this process. It skips the test if no
// cgroup2 is mounted.
func cgroupMount(t *testing.T) string {
	t.Helper()
	at, err := exec.CommandContext(t.Context(), "findmnt", "--noheadings", "--first-only", "--types", "cgroup2", "--output", "TARGET").Output()
	if err != nil {
		t.Skip("no cgroup2 is mounted")
	}
	own, err := exec.CommandContext(t.Context(), "sed", "-n", "s/^0:://p", "/proc/self/cgroup").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(at)), strings.TrimSpace(string(own)))
}

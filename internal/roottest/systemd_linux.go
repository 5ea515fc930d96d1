package roottest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bootTime limits the time until a boot is complete, including the shutdown before it.
const bootTime = 3 * time.Minute

// bootLine is the start of the line that the first process prints for each boot.
const bootLine = prefix + "boot "

// cgroupPrefix is the prefix of the names of cgroups of this package.
const cgroupPrefix = "roottest-"

// host boots systemd in a root, and boots it again when systemd reboots. The file system and
// the cgroup of the root are kept. Each boot has new namespaces, in which systemd is the first
// process. host returns the exit status of this process after an error, when systemd ends
// without a reboot, or when ended is closed.
func (s *spec) host(ended <-chan struct{}) (status int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-ended
		cancel()
	}()
	if err := mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return complain(err)
	}
	root, err := s.layers()
	if err != nil {
		return complain(err)
	}
	group, err := newCgroup(filepath.Join(s.Mount, "cgroup"))
	if err != nil {
		return complain(err)
	}
	defer func() {
		if err := group.remove(); err != nil {
			status = complain(err)
		}
	}()
	boot := *s
	boot.Systemd, boot.Root = false, root
	for n := 1; ctx.Err() == nil; n++ {
		if boot.Cgroup, err = group.child(); err != nil {
			return complain(err)
		}
		logf("%s%d", strings.TrimPrefix(bootLine, prefix), n)
		r, err := launch(ctx, boot, func(cmd *exec.Cmd) { cmd.Stderr = os.Stderr })
		if err != nil {
			return complain(err)
		}
		// The kernel reports a reboot in a PID namespace as SIGHUP.
		var exit *exec.ExitError
		if err := r.wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != unix.SIGHUP { //nolint:forcetypeassert // always on Linux
			return 0
		}
		boot.Files = nil // the files are those that the last boot left
	}
	return 0
}

// mountBoot mounts what only a booted root has: the cgroups, and a boot ID. It
// moves this process to the cgroup, and this thread to a new cgroup namespace: the thread
// later executes systemd.
func (s *spec) mountBoot(root string) error {
	if err := enterCgroup(s.Cgroup); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("create a cgroup namespace: %w", err)
	}
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := mount("cgroup2", filepath.Join(root, "sys/fs/cgroup"), "cgroup2", quiet, ""); err != nil {
		return err
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // rand.Read never returns an error
	file := filepath.Join(root, "run/boot-id")
	text := fmt.Sprintf("%x-%x-%x-%x-%x\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	if err := os.WriteFile(file, []byte(text), 0o444); err != nil { // as in /proc
		return err
	}
	if err := mount(file, filepath.Join(root, "proc/sys/kernel/random/boot_id"), "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return os.Remove(file)
}

// cgroup is the cgroup of a root. The first process of the root is in it, so that a
// cgroup without processes belongs to a root that has ended.
type cgroup struct {
	parent string // the cgroup that the process was in before
	path   string
}

// newCgroup mounts the cgroups at a path, creates a cgroup in the cgroup of this process, and
// moves this process to the new cgroup. It also removes the cgroups of roots whose first
// process was killed before it could remove them.
func newCgroup(at string) (cgroup, error) {
	if err := os.Mkdir(at, 0o755); err != nil { // hidden by the mount
		return cgroup{}, err
	}
	if err := mount("cgroup2", at, "cgroup2", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return cgroup{}, err
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cgroup{}, err
	}
	g := cgroup{parent: at}
	for line := range strings.Lines(string(text)) {
		if path, is := strings.CutPrefix(strings.TrimSpace(line), "0::"); is {
			g.parent = filepath.Join(at, path)
		}
	}
	g.path = filepath.Join(g.parent, cgroupPrefix+rand.Text())
	dir, err := os.Open(g.parent)
	if err != nil {
		return cgroup{}, err
	}
	unlock, err := lockFile(dir) // another root may remove a cgroup without processes
	if err != nil {
		return cgroup{}, err
	}
	defer unlock()
	left, err := filepath.Glob(filepath.Join(g.parent, cgroupPrefix+"*"))
	if err != nil {
		return cgroup{}, err
	}
	for _, path := range left {
		if events, err := os.ReadFile(filepath.Join(path, "cgroup.events")); err == nil && strings.Contains(string(events), "populated 0") {
			_ = removeCgroups(path) // the next root tries again
		}
	}
	if err := os.Mkdir(g.path, 0o755); err != nil { // the mode of cgroups
		return cgroup{}, err
	}
	return g, enterCgroup(g.path)
}

func enterCgroup(path string) error {
	return os.WriteFile(filepath.Join(path, "cgroup.procs"), []byte("0"), 0)
}

// child removes the previous child of the cgroup, if it exists, creates a new one, and returns its path.
func (g cgroup) child() (string, error) {
	path := filepath.Join(g.path, "root")
	if err := removeCgroups(path); err != nil {
		return "", err
	}
	return path, os.Mkdir(path, 0o755) // the mode of cgroups
}

// remove moves this process back to the parent and removes the cgroup.
func (g cgroup) remove() error {
	return errors.Join(enterCgroup(g.parent), removeCgroups(g.path))
}

// removeCgroups removes a cgroup, if it exists, and the cgroups in it. The kernel may need a
// moment to remove a killed process from its cgroup.
func removeCgroups(path string) error {
	var dirs []string
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process removes leftovers, too
			return nil
		case err == nil && d.IsDir():
			dirs = append(dirs, at)
		}
		return err
	})
	for i := len(dirs) - 1; err == nil && i >= 0; i-- {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if err = unix.Rmdir(dirs[i]); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("remove the cgroup %s: %w", path, err)
	}
	return nil
}

// initProgram is the path of systemd.
const initProgram = "/sbin/init"

// systemdEnvironment is the environment of systemd. The variable container makes systemd
// leave the devices, clock and swap of the host unchanged.
var systemdEnvironment = []string{"container=other", "LANG=C.UTF-8", "PATH=" + standardPath}

// systemdFiles returns the files of a root that boots systemd, with an sshd on a port.
func systemdFiles(port int) []file {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // rand.Read never returns an error
	sshd := fmt.Sprintf("ListenAddress %s:%d\nLogLevel VERBOSE\n", address, port)
	return []file{
		{Path: "/etc/machine-id", Content: hex.EncodeToString(id) + "\n", Mode: 0o444},
		{Path: "/usr/sbin/policy-rc.d", Content: "#!/bin/sh\nexit 0\n", Mode: 0o755}, // packages start their services
		{Path: "/etc/ssh/sshd_config.d/roottest.conf", Content: sshd, Mode: 0o644},
		// An empty file masks its unit. Otherwise these timers would start apt, which holds its locks, at any time.
		{Path: "/etc/systemd/system/apt-daily.timer", Mode: 0o644},
		{Path: "/etc/systemd/system/apt-daily-upgrade.timer", Mode: 0o644},
	}
}

// boot starts a root that boots systemd, and waits until the boot is complete.
func boot(s spec) (sshdRoot, error) {
	m, err := launchSSHD(s)
	if err != nil {
		return sshdRoot{}, err
	}
	if err := m.waitBoot(1); err != nil {
		m.kill()
		return sshdRoot{}, err
	}
	return m, nil
}

// boots returns the number of boots, including the one in progress.
func (m sshdRoot) boots() int { return strings.Count(m.stderr.String(), bootLine) }

// waitBoot waits until the n-th boot is complete. It returns an error with the journal if
// a unit has failed or bootTime is over, and an error if the root has ended. That error wraps
// errImpossible if the cgroups could not be mounted.
func (m sshdRoot) waitBoot(n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), bootTime)
	defer cancel()
	for ; ; time.Sleep(10 * time.Millisecond) {
		for line := range strings.Lines(m.stderr.String()) {
			switch {
			case strings.HasPrefix(line, prefix) && strings.Contains(line, "cgroup2"):
				return fmt.Errorf("%w: %s", errImpossible, line)
			case strings.HasPrefix(line, prefix) && !strings.HasPrefix(line, bootLine):
				return fmt.Errorf("a root has ended: %s", line)
			}
		}
		if m.boots() >= n {
			// The exit status is 0 only for running. Before systemd listens, the standard
			// output is empty, offline or unknown.
			out, err := m.run(ctx, []string{"sh", "-c", "systemctl is-system-running --wait || :"})
			switch {
			case err != nil: // the namespaces are not complete yet, or not any more
			case out == "running":
				return nil
			case out == "degraded":
				return fmt.Errorf("a unit of a root has failed:\n%s", m.journal())
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("boot %d of a root is not complete after %s:\n%s%s", n, bootTime, m.stderr.String(), m.journal())
		}
	}
}

// journal returns the end of the journal of the current boot, and the failed units, or the
// reason why they cannot be read.
func (m sshdRoot) journal() string {
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	out, err := m.run(ctx, []string{"sh", "-c", "journalctl --no-pager -b -o short-monotonic -n 200; systemctl --no-pager --failed"})
	if err != nil {
		return fmt.Sprintf("no journal: %v", err)
	}
	return out
}

// bootedProcess returns the PID of systemd in a root whose first process is pid. It returns
// an error while a boot has not entered the root, because programs would then run on the
// host.
func bootedProcess(pid int) (int, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		child, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		// Until the process executes systemd, its name is firstName.
		if name, _, _ := strings.Cut(string(line), "\x00"); err == nil && name != "" && name != firstName {
			return child, nil
		}
	}
	return 0, errors.New("the root has not booted, or is rebooting")
}

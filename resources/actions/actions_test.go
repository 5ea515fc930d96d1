package actions_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/actions"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) {
	resourcetest.ServeProgram(newProvider)
	roottest.Main(m, roottest.Options{Packages: []string{"cron", "openrc", "openssh-server"}, PrivateNet: true, Starts: resourcetest.Systemd})
}

// newProvider returns the complete provider.
func newProvider() (provider.Interface, error) { return resources.New("test") }

var types = runtime.Definition{Actions: map[string]runtime.ActionRegistration{"wait": actions.WaitAction(), "reboot": actions.RebootAction()}}

// The test root is reached over SSH like a remote host. Its program reboot ends sshd and all
// sessions, and later starts sshd, in some tests with another boot ID. There is only one
// root, so its tests are not parallel.

const (
	bootID  = "/proc/sys/kernel/random/boot_id"
	running = "/run/boot_id"
	program = "/usr/local/sbin/reboot"
	pidFile = "/run/sshd.pid"
)

// restartFormat is the format of a script that kills sshd and starts it again at least a
// second later, after running %s. If FAIL is set, the script fails instead.
const restartFormat = `#!/bin/sh
[ -z "$FAIL" ] || exit 3
setsid sh -c '
  kill -9 $(cat /run/sshd.pid)
  for f in /proc/[0-9]*/comm; do
    if [ "$(cat $f 2>/dev/null)" = sshd ]; then p=${f%%/comm}; kill -9 ${p#/proc/}; fi
  done
  sleep 1
  %s
  /usr/sbin/sshd -p 2222
' </dev/null >/dev/null 2>&1 &
sleep 10
`

const newBoot = "cat /proc/sys/kernel/random/uuid >/run/boot_id"

func run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
}

// startHost starts sshd, and returns a provider block with hosts of these names.
func startHost(t *testing.T, names ...string) string {
	t.Helper()
	if _, err := os.Stat(running); err != nil {
		resourcetest.Must(t, os.WriteFile(running, []byte("the first boot\n"), 0o644))
		run(t, "mount", "--bind", running, bootID)
		run(t, "ssh-keygen", "-A")
	}
	key := sshdtest.NewKey(t)
	resourcetest.Must(t, os.MkdirAll("/root/.ssh", 0o700))
	resourcetest.Must(t, os.WriteFile("/root/.ssh/authorized_keys", ssh.MarshalAuthorizedKey(key.PublicKey()), 0o600))
	run(t, "/usr/sbin/sshd", "-p", "2222")
	listens(t)
	t.Cleanup(func() { stop(t) })
	hostKey, err := os.ReadFile("/etc/ssh/ssh_host_ed25519_key.pub")
	resourcetest.Must(t, err)
	var hosts strings.Builder
	for _, name := range names {
		fmt.Fprintf(&hosts, "    %s = {\n      address = \"127.0.0.1\"\n      port = 2222\n      user = \"root\"\n      private_key_path = %q\n      host_key = [%q]\n      connect_retries = 0\n    }\n",
			name, key.File(t, ""), strings.TrimSpace(string(hostKey)))
	}
	return "provider \"posix\" {\n  ssh_config = \"none\"\n  hosts = {\n" + hosts.String() + "  }\n}\n"
}

// stop ends sshd, and returns when the process has ended.
func stop(t *testing.T) {
	t.Helper()
	pid, err := os.ReadFile(pidFile)
	resourcetest.Must(t, err)
	process := strings.TrimSpace(string(pid))
	resourcetest.Must(t, exec.Command("kill", process).Run())
	for range 3000 {
		if _, err := os.Stat("/proc/" + process); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("sshd is still running")
}

func invoke(t *testing.T, text string) resourcetest.Invoked {
	t.Helper()
	for _, reported := range resourcetest.Invoke(t, resourcetest.Provider(types), text) {
		return reported
	}
	return resourcetest.Invoked{}
}

// watching is a provider that calls seen with each progress message of its actions.
type watching struct {
	provider.Interface
	seen func(message string)
}

func (w watching) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	resp := w.Interface.InvokeAction(ctx, req)
	if events := resp.Events; events != nil {
		resp.Events = func(yield func(provider.ActionEvent) bool) {
			for event := range events {
				if progress, ok := event.(provider.ActionProgress); ok {
					w.seen(progress.Message)
				}
				if !yield(event) {
					return
				}
			}
		}
	}
	return resp
}

// invokeSteps invokes the action, and does the next step when a progress message contains the reason of
// that step.
func invokeSteps(t *testing.T, text string, steps ...step) resourcetest.Invoked {
	t.Helper()
	seen := func(message string) {
		if len(steps) > 0 && strings.Contains(message, steps[0].reason) {
			if err := steps[0].do(); err != nil {
				t.Error(err)
			}
			steps = steps[1:]
		}
	}
	for _, reported := range resourcetest.Invoke(t, func() (provider.Interface, error) {
		p, err := resourcetest.Provider(types)()
		return watching{p, seen}, err
	}, text) {
		return reported
	}
	return resourcetest.Invoked{}
}

// step is a change of the host that ends one reason for waiting.
type step struct {
	reason string
	do     func() error
}

// reports checks that the action succeeded, and that its progress messages match the regular expressions, in order.
func reports(t *testing.T, got resourcetest.Invoked, want ...string) {
	t.Helper()
	if got.Planned != "" || got.Failed != "" {
		t.Errorf("the error of the plan is %q and that of the action %q, want none", got.Planned, got.Failed)
	}
	if ok, err := regexp.MatchString(strings.Join(want, "\n"), strings.Join(got.Progress, "\n")); err != nil || !ok {
		t.Errorf("progress (%v):\n%s\nwant:\n%s", err, strings.Join(got.Progress, "\n"), strings.Join(want, "\n"))
	}
}

func TestReboot(t *testing.T) {
	roottest.Require(t)
	block := startHost(t, "web1")
	example := resourcetest.ExampleFile(t, "actions/posix_reboot/action.tf")
	// The test has a shorter timeout than the example.
	example = strings.Replace(example, `timeout = "15m"`, "timeout = \"60s\"\n    interval = \"100ms\"", 1)
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, newBoot), 0o755))
	resourcetest.Must(t, os.RemoveAll("/run/reboot-required"))
	before, err := os.ReadFile(bootID)
	resourcetest.Must(t, err)

	reports(t, invoke(t, block+example), "^host web1 is not rebooted: only_if ended with exit code 1$")
	if id, err := os.ReadFile(bootID); err != nil || string(id) != string(before) {
		t.Errorf("the host has rebooted: boot ID %q, error %v, want the boot ID %q", id, err, before)
	}
	resourcetest.Must(t, os.WriteFile("/run/reboot-required", nil, 0o600))
	reports(t, invoke(t, block+example), "^rebooting host web1", "after [0-9]+s: (.*connect.*refused|.*lost).*", "(.*\n)*host web1 has rebooted, and is reachable again after [0-9]+s$")
	if id, err := os.ReadFile(bootID); err != nil || string(id) == string(before) {
		t.Errorf("the host has not rebooted: boot ID %q, error %v, want a different boot ID", id, err)
	}
}

// action returns an action with a short interval, unless more sets one.
func action(kind, name, more string) string {
	return defaultAction(kind, name, withShortInterval(more))
}

// defaultAction returns an action with the default interval, unless more sets one.
func defaultAction(kind, name, more string) string {
	return fmt.Sprintf("action \"posix_%s\" \"it\" {\n  config {\n    host = %q\n    %s\n  }\n}\n", kind, name, more)
}

// withShortInterval returns the attributes with a short interval, unless they have one.
func withShortInterval(more string) string {
	if strings.Contains(more, "interval") {
		return more
	}
	return more + "\n    interval = \"100ms\""
}

// fails checks that the error of the action, or of its plan if planned is set, contains want. It returns all results.
func fails(t *testing.T, text string, planned bool, want string) resourcetest.Invoked {
	t.Helper()
	got := invoke(t, text)
	message := got.Failed
	if planned {
		message = got.Planned
	}
	if !strings.Contains(message, want) {
		t.Errorf("the error is %q, want %q; the results are %+v", message, want, got)
	}
	return got
}

// TestRebootTakesTooLong tests a host that becomes reachable without a reboot, and one that
// is not reachable before the timeout. TestFakeReboot tests the same in simulated time.
func TestRebootTakesTooLong(t *testing.T) {
	tier.Nightly(t)
	roottest.Require(t)
	block := startHost(t, "web1")
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, "true"), 0o755))
	fails(t, block+action("reboot", "web1", `timeout = "10s"`), false, "host web1 is reachable, but has not rebooted yet")

	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, "sleep 12"), 0o755))
	got := fails(t, block+action("reboot", "web1", `timeout = "8s"`), false, "timed out after 8s")
	if !strings.Contains(got.Failed, "timeout: ") || !strings.Contains(got.Failed, "refused") {
		t.Errorf("the error is %q, want an error of the attribute timeout with \"refused\"", got.Failed)
	}
	listens(t)
}

func TestRebootFails(t *testing.T) {
	roottest.Require(t)
	block := startHost(t, "web1")
	resourcetest.Must(t, os.WriteFile(program, fmt.Appendf(nil, restartFormat, "true"), 0o755))
	if got := fails(t, block+action("reboot", "web1", `command = "FAIL=1 reboot"`), false, "ended with exit code 3 and no output"); strings.Contains(got.Failed, "root: ") {
		t.Errorf("the error mentions root, although the provider connects as root: %q", got.Failed)
	}
	fails(t, block+action("reboot", "web1", `command = "no-such-program"`), false, "ended with exit code 127")
	fails(t, block+action("reboot", "web1", `only_if = "exit 2"`), false, "cannot determine whether to reboot host web1")
	fails(t, block+action("reboot", "web1", `only_if = "no-such-program"`), false, "cannot determine whether to reboot host web1")
	resourcetest.Must(t, os.Remove(program))
	fails(t, block+action("reboot", "web1", ""), false, "host web1 has none of systemctl, reboot and shutdown")
	fails(t, block+action("reboot", "local", ""), true, "cannot reboot the host that the provider runs on")
	fails(t, block+`action "posix_reboot" "it" {}`, true, "host: ")
	fails(t, block+action("reboot", "web1", `only_if = " "`), true, "the command must not be blank")
	fails(t, block+action("reboot", "web1", `timeout = "0s"`), true, "must be greater than zero")
}

// listens waits until sshd listens.
func listens(t *testing.T) {
	t.Helper()
	for range 600 {
		if conn, err := net.Dial("tcp", "127.0.0.1:2222"); err == nil {
			resourcetest.Must(t, conn.Close())
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("sshd does not listen on 127.0.0.1:2222")
}

func TestWait(t *testing.T) {
	roottest.Require(t)
	block := startHost(t, "db1")
	example := resourcetest.ExampleFile(t, "actions/posix_wait/action.tf")
	example = strings.Replace(example, `timeout = "15m"`, "timeout = \"60s\"\n    interval = \"100ms\"", 1)
	const done = "/var/lib/cloud/instance/boot-finished"
	keys, err := os.ReadFile("/root/.ssh/authorized_keys")
	resourcetest.Must(t, err)
	resourcetest.Must(t, os.WriteFile("/root/.ssh/authorized_keys", nil, 0o600))
	resourcetest.Must(t, os.RemoveAll(done))
	resourcetest.Must(t, os.MkdirAll(filepath.Dir(done), 0o755))
	// The steps of a booting host, in order.
	reports(t, invokeSteps(t, block+example,
		step{"authentication", func() error { return os.WriteFile("/root/.ssh/authorized_keys", keys, 0o600) }},
		step{"5432", func() error {
			l, err := net.Listen("tcp", "127.0.0.1:5432")
			if err == nil {
				t.Cleanup(func() { _ = l.Close() }) // no connection is accepted
			}
			return err
		}},
		step{"boot-finished", func() error { return os.WriteFile(done, nil, 0o600) }},
	), "^after [0-9]+s: .*authentication of user root failed.*", "after [0-9]+s: .*5432.*refused.*", "after [0-9]+s: .*boot-finished.* ended with exit code 1 and no output", "host db1 is reachable after .*s$")
}

func TestWaitFails(t *testing.T) {
	roottest.Require(t)
	block := startHost(t, "db1")
	fails(t, block+action("wait", "db1", "timeout = \"1s\"\n    port = 1"), false, "timed out after 1s")
	const late = "/usr/local/sbin/late-program"
	t.Cleanup(func() { _ = os.Remove(late) })
	reports(t, invokeSteps(t, block+action("wait", "db1", "timeout = \"60s\"\n    command = \"late-program\""),
		step{"not found", func() error { return os.Symlink("/bin/true", late) }},
	), "^after [0-9]+s: .*late-program: not found.*", "host db1 is reachable after .*s$")
	fails(t, block+action("wait", "db1", "port = 0"), true, "from 1 to 65535")
	fails(t, block+action("wait", "db1", `interval = "0s"`), true, "interval")
	fails(t, block+action("wait", "nobody at all", ""), true, "host: ")
	reports(t, invoke(t, block+action("wait", "local", `command = "test -e /"`)), "^host local is reachable after .*s$")
}

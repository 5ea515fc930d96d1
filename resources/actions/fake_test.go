package actions_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// fake is a host that can reboot. TestFakeReboot and TestFakeWait run in a synctest bubble,
// in which time is simulated.
type fake struct {
	host.Host
	boots  int            // number of reboots
	down   int            // number of commands that fail after the reboot command
	stuck  bool           // whether the host becomes reachable again without a reboot
	noID   bool           // whether the host has no boot ID
	ends   map[string]int // exit codes of commands, by their text
	refuse int            // number of refused connections to a port

	silent int // number of upcoming commands that fail
}

func newFake(name string) *fake {
	f := &fake{ends: map[string]int{}}
	f.Host = memory.New(memory.Config{Name: name, Run: f.run})
	return f
}

func (f *fake) run(_ context.Context, cmd host.Command) (host.Result, error) {
	if f.silent > 0 {
		f.silent--
		return host.Result{}, fmt.Errorf("%w: connection refused", host.ErrUnreachable)
	}
	args := remotecmd.Program(cmd)
	switch {
	case args[0] == "true":
		return host.Result{}, nil
	case strings.Contains(args[2], "boot_id") && f.noID:
		return host.Result{}, nil
	case strings.Contains(args[2], "boot_id"):
		_, err := fmt.Fprintf(cmd.Stdout, "boot %d\n", f.boots)
		return host.Result{}, err
	case strings.Contains(args[2], "shutdown -r"):
		return f.restart()
	}
	text := args[len(args)-1] // the text of the configured command
	if code, known := f.ends[text]; known {
		return host.Result{ExitCode: code}, nil
	}
	if text == "restart" {
		return f.restart()
	}
	_, err := io.WriteString(cmd.Stderr, text+": not found\n")
	return host.Result{ExitCode: 127}, err
}

func (f *fake) restart() (host.Result, error) {
	if !f.stuck {
		f.boots++
	}
	f.silent = f.down
	return host.Result{}, fmt.Errorf("%w: the connection was lost", host.ErrUnreachable)
}

// DialHost implements [host.Dialer].
func (f *fake) DialHost(_ context.Context, network, address string) (net.Conn, error) {
	if f.refuse > 0 {
		f.refuse--
		return nil, host.DialError(f, network, address, fmt.Errorf("connection refused"))
	}
	near, far := net.Pipe()
	return near, far.Close()
}

func (f *fake) invoke(t *testing.T, config string) resourcetest.Invoked {
	t.Helper()
	for _, invoked := range resourcetest.Invoke(t, resourcetest.ProviderOn(types, func() (host.Host, error) { return f, nil }), config) {
		return invoked
	}
	return resourcetest.Invoked{}
}

func TestFakeReboot(t *testing.T) {
	t.Parallel()
	const due = "test -e /run/reboot-required"
	example := resourcetest.ExampleFile(t, "actions/posix_reboot/action.tf")
	reboot := func(more string) string { return defaultAction("reboot", "web1", more) }
	for name, tt := range map[string]struct {
		config  string
		is      func(f *fake)
		reports []string // expected progress messages, as regular expressions
		failed  string
		boots   int
	}{
		"not due":         {config: example, is: func(f *fake) { f.ends[due] = 1 }, reports: []string{"^host web1 is not rebooted: only_if ended with exit code 1$"}},
		"due":             {config: example, is: func(f *fake) { f.ends[due], f.down = 0, 3 }, reports: []string{"^rebooting host web1", "after 0s: .*refused", "host web1 has rebooted, and is reachable again after 15s$"}, boots: 1},
		"a command":       {config: reboot(`command = "restart"`), reports: []string{"^rebooting host web1", "host web1 has rebooted, and is reachable again after 0s$"}, boots: 1},
		"same boot ID":    {config: reboot(""), is: func(f *fake) { f.stuck, f.down = true, 2 }, failed: "host web1 is reachable, but has not rebooted yet"},
		"never reachable": {config: reboot(`timeout = "1m"`), is: func(f *fake) { f.down = 1000 }, failed: "timed out after 1m0s: run on web1: not reachable: connection refused", boots: 1},
		"unreachable":     {config: reboot(""), is: func(f *fake) { f.silent = 1 }, failed: "connection refused"},
		"no boot ID":      {config: reboot(""), is: func(f *fake) { f.noID = true }, failed: "cannot read the boot ID or boot time of host web1, which is required to detect the reboot: no output"},
		"command fails":   {config: reboot(`command = "no-rights"`), is: func(f *fake) { f.ends["no-rights"] = 3 }, failed: "ended with exit code 3 and no output. This requires root"},
		"no such command": {config: reboot(`command = "none"`), failed: "ended with exit code 127"},
		"only_if fails":   {config: reboot(`only_if = "two"`), is: func(f *fake) { f.ends["two"] = 2 }, failed: "cannot determine whether to reboot host web1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("web1")
				if tt.is != nil {
					tt.is(f)
				}
				got := f.invoke(t, tt.config)
				if tt.failed == "" {
					reports(t, got, tt.reports...)
				} else if !strings.Contains(got.Failed, tt.failed) {
					t.Errorf("got %+v, want the error %q", got, tt.failed)
				}
				if f.boots != tt.boots {
					t.Errorf("the host has rebooted %d times, want %d", f.boots, tt.boots)
				}
			})
		})
	}
}

func TestFakeWait(t *testing.T) {
	t.Parallel()
	const finished = "test -e /var/lib/cloud/instance/boot-finished"
	example := resourcetest.ExampleFile(t, "actions/posix_wait/action.tf")
	for name, tt := range map[string]struct {
		config  string
		is      func(f *fake)
		reports []string
		failed  string
	}{
		"at once": {config: example, is: func(f *fake) { f.ends[finished] = 0 }, reports: []string{"^host db1 is reachable after 0s$"}},
		"step by step": {
			config: example, is: func(f *fake) { f.ends[finished], f.silent, f.refuse = 0, 2, 3 },
			reports: []string{"^after 0s: .*connection refused", "after 10s: .*5432.*refused", "host db1 is reachable after 25s$"},
		},
		"never":      {config: defaultAction("wait", "db1", `timeout = "90s"`), is: func(f *fake) { f.silent = 1000 }, failed: "timed out after 1m30s: run on db1: not reachable"},
		"unfinished": {config: example, is: func(f *fake) { f.ends[finished] = 1 }, failed: `boot-finished" on host db1 ended with exit code 1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("db1")
				tt.is(f)
				got := f.invoke(t, tt.config)
				if tt.failed == "" {
					reports(t, got, tt.reports...)
				} else if !strings.Contains(got.Failed, tt.failed) {
					t.Errorf("got %+v, want the error %q", got, tt.failed)
				}
			})
		})
	}
}

// TestFakePlans checks that the plan of an action rejects an invalid configuration.
func TestFakePlans(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ config, want string }{
		"local":         {defaultAction("reboot", "local", ""), "cannot reboot the host that the provider runs on"},
		"blank only_if": {defaultAction("reboot", "local", `only_if = " "`), "the command must not be blank"},
		"zero timeout":  {defaultAction("reboot", "local", `timeout = "0s"`), "must be greater than zero"},
		"port 0":        {defaultAction("wait", "local", "port = 0"), "from 1 to 65535"},
		"zero interval": {defaultAction("wait", "local", `interval = "0s"`), "interval"},
		"invalid host":  {defaultAction("wait", "nobody at all", ""), "host: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newFake(host.LocalName).invoke(t, tt.config); !strings.Contains(got.Planned, tt.want) {
				t.Errorf("got %+v, want the error %q from the plan", got, tt.want)
			}
		})
	}
}

// TestTriggers triggers actions: a reboot after a create, and a wait before an update. The
// wait fails, which prevents the update.
func TestTriggers(t *testing.T) {
	t.Parallel()
	f := newFake("web1")
	config := func(input string) string {
		return fmt.Sprintf(`resource "terraform_data" "it" {
  input = %q
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.posix_reboot.it]
    }
    action_trigger {
      events  = [before_update]
      actions = [action.posix_wait.it]
    }
  }
}
`, input) + defaultAction("reboot", "web1", `command = "restart"`) + defaultAction("wait", "web1", "command = \"none\"\n    timeout = \"1ms\"\n    interval = \"1ms\"")
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.ProviderOn(types, func() (host.Host, error) { return f, nil })),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: config("one"), PostApplyFunc: func() {
				if f.boots != 1 {
					t.Errorf("the host has rebooted %d times, want once", f.boots)
				}
			}},
			{Config: config("two"), ExpectError: resourcetest.WrappedText("Error when invoking action")},
			{Config: config("one"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

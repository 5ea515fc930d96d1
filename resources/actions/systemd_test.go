package actions_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestSystemd reboots a host with a running systemd, and then waits for this host during another reboot.
func TestSystemd(t *testing.T) {
	roottest.Require(t)
	b := resourcetest.Boot(t)
	invoke := func(text string) resourcetest.Invoked {
		for _, reported := range resourcetest.Invoke(t, b.Provider(types), text) {
			return reported
		}
		return resourcetest.Invoked{}
	}
	booted := func() string { return b.Root.Run(t, "cat", bootID) }
	before := booted()
	example := resourcetest.ExampleFile(t, "actions/posix_reboot/action.tf")
	example = strings.NewReplacer(`"web1"`, strconv.Quote(b.Name()), `timeout = "15m"`, "timeout = \"5m\"\n    interval = \"100ms\"").Replace(example)
	reports(t, invoke(example), "^host "+b.Name()+" is not rebooted: only_if ended with exit code 1$")
	b.Root.Run(t, "touch", "/run/reboot-required")
	reports(t, invoke(example), "^rebooting host "+b.Name(), "(.*\n)*host "+b.Name()+" has rebooted, and is reachable again after [0-9]+m?[0-9]*s$")
	b.Root.WaitBoot(t, 2)
	second := booted()
	if b.Root.Boots() != 2 || second == before {
		t.Errorf("%d boots, want 2, and the boot ID is %s, want a boot ID other than %s", b.Root.Boots(), second, before)
	}

	_, _ = b.Run(t.Context(), host.Command{Args: []string{"systemctl", "reboot"}}) // the connection may end first
	command := fmt.Sprintf("[ $(cat %s) != %s ] && systemctl is-system-running --wait", bootID, second)
	reports(t, invoke(action("wait", b.Name(), fmt.Sprintf("command = %q\n    timeout = \"5m\"", command))), "(.*\n)*host "+b.Name()+" is reachable after .*s$")
	if state := b.Root.Run(t, "systemctl", "is-system-running"); b.Root.Boots() != 3 || state != "running" {
		t.Errorf("%d boots, want 3, and the system is %s, want running", b.Root.Boots(), state)
	}
}

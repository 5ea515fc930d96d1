package faulttest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestReboot reboots a host while an apply starts a service there. The apply fails with an error
// that names the host, and the next apply succeeds.
func TestReboot(t *testing.T) {
	root := roottest.Start(t, resourcetest.Systemd[0])
	h := root.Host(t)
	run := newInProcess(t, resourcetest.NewProgram(t), overSSH(h)+`
resource "posix_systemd_unit" "slow" {
  name    = "slow.service"
  content = <<-EOT
    [Service]
    # Only the first start waits.
    ExecStartPre=/bin/sh -c 'if [ ! -e /srv/started ]; then touch /srv/started; sleep infinity; fi'
    ExecStart=/bin/sleep infinity
    TimeoutStartSec=infinity
    [Install]
    WantedBy=multi-user.target
  EOT
}
resource "posix_service" "slow" {
  name     = "slow"
  enabled  = true
  running  = true
  triggers = { unit = posix_systemd_unit.slow.content }
}
resource "posix_file" "after" {
  path       = "/srv/after"
  content    = "version ${var.v}"
  depends_on = [posix_service.slow]
}
`)
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	go func() { done <- run.apply(ctx, 1) }()
	for started := false; !started; {
		select {
		case err := <-done:
			t.Fatalf("the apply ended before /srv/started existed: %v", err)
		case <-time.After(20 * time.Millisecond):
			started = root.Run(t, "sh", "-c", "if [ -e /srv/started ]; then echo yes; fi") != ""
		}
	}
	root.Run(t, "systemd-run", "--quiet", "systemctl", "reboot")
	err := <-done
	if err == nil || !strings.Contains(err.Error(), "host web") {
		t.Errorf("the apply that the reboot interrupted returned %v, want an error that names the host", err)
	}
	t.Logf("the error is: %v", err)
	root.WaitBoot(t, 2)
	resourcetest.Must(t, run.apply(t.Context(), 1))
	resourcetest.Must(t, run.unchanged(t.Context(), 1))
	if got := root.Run(t, "sh", "-c", "cat /srv/after; echo; systemctl is-active slow; systemctl is-enabled slow"); got != "version 1\nactive\nenabled" {
		t.Errorf("after the second apply: %q, want version 1, active, enabled", got)
	}
	if root.Boots() != 2 {
		t.Errorf("%d boots, want 2", root.Boots())
	}
}

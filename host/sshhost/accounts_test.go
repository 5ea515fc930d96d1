package sshhost_test

import (
	"fmt"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestChangedAccounts checks that accounts are looked up again after a command, which may have changed them,
// and after a reset.
func TestChangedAccounts(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	h, other := open(t, o), open(t, o)
	run := func(h *sshhost.Host, args ...string) {
		t.Helper()
		if result, err := h.Run(t.Context(), host.Command{Args: args}); err != nil || result.ExitCode != 0 {
			t.Fatalf("%s: %+v, %v", args, result, err)
		}
	}
	// The script changes only the /etc/passwd that the test server uses.
	change := func(uid int) {
		t.Helper()
		run(other, "sh", "-ec", `grep -q ' /etc/passwd ' /proc/self/mounts
accounts=$(sed "s/^$0:x:[0-9]*:/$0:x:$1:/" /etc/passwd)
echo "$accounts" >/etc/passwd`, plain, fmt.Sprint(uid))
	}
	check := func(after string, want uint32) {
		t.Helper()
		if user, err := h.LookupUser(t.Context(), plain); err != nil || user.UID != want {
			t.Errorf("the user after %s is %+v, error %v, want the UID %d", after, user, err, want)
		}
	}
	change(50_001)
	check("a change", 50_001)
	change(50_002)
	run(h, "true")
	check("a command", 50_002)
	change(50_003)
	h.Reset()
	check("a reset", 50_003)
}

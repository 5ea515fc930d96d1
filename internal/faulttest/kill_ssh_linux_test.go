package faulttest_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestAccFaultKill kills the provider at random moments of creating and of
// updating over a slow line. Whoever looks on the server sees what [TestAccKill]
// says of this machine.
func TestAccFaultKill(t *testing.T) {
	faulty(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	line := nettest.Start(t, server.Addr(), slowLine)
	k := newKilling(t)
	defer func() {
		for _, bad := range k.watcher.stop() {
			t.Error(bad)
		}
	}()
	config, err := os.ReadFile(filepath.Join(k.w.Dir, "main.tf"))
	resourcetest.Must(t, err)
	k.w.Write("main.tf", webAt(t, server, key, line.Addr())+resourcetest.ReplaceAll(string(config), "  path ", "  host = \"web\"\n  path "))

	hits, left := 0, 0
	for _, v := range []int{1, 2} {
		k.w.Env = []string{"TF_VAR_v=" + strconv.Itoa(v)}
		if k.applyAndKill(t, 1+k.random.IntN(3*k.pending(t, v))) {
			hits++
		}
		left += len(k.temporary(t))
		k.w.Do(nil, "apply", "-auto-approve", "-no-color")
		if temps := k.temporary(t); len(temps) > 0 {
			t.Errorf("version %d: an apply that was left alone has left %q", v, temps)
		}
		if n := k.pending(t, v); n > 0 {
			t.Errorf("version %d: %d are not as configured after an apply", v, n)
		}
	}
	k.w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	t.Logf("%d of 2 applies were killed before their end, with %d temporary files left behind", hits, left)
	if hits == 0 {
		t.Error("no apply was killed before its end: nothing was tried")
	}
}

package fleettest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/states"
)

// The file systems of [TestFullDisk]: smallDisks moves each directory to a file system of its own, fullDisks
// leaves no block and no inode free on these file systems, and freeDisks makes space and inodes free again.
const (
	fullDirs   = "for dir in /etc /home/mixed /srv/mixed /var/lib/dpkg; do\n"
	smallDisks = fullDirs + `	mount -t tmpfs none /mnt
	cp -a $dir/. /mnt
	mount --bind /mnt $dir
	umount /mnt
done`
	fullDisks = fullDirs + `	mount -o remount,size=$(df -k --output=used $dir | tail -n 1 | tr -d ' ')k,nr_inodes=$(df --output=iused $dir | tail -n 1 | tr -d ' ') $dir
done`
	freeDisks = fullDirs + `	mount -o remount,size=256m,nr_inodes=100k $dir
done`
)

// TestFullDisk applies a resource of each of [mixedKinds], repairs the drift of each, and destroys them while no
// space is free on the host. Each create fails, with an error that names the host. After that, each file is either
// as before or as configured. The next apply, with free space, is complete, and after the destroy the host is as it
// was before.
func TestFullDisk(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	f := newInterruptedFleet(t)
	f.root.Run(t, "sh", "-ec", smallDisks)
	f.root.Run(t, "sh", "-ec", freeDisks)
	r := rand.New(rand.NewPCG(1, 3))
	all := f.draw(r, len(mixedKinds()))
	config := f.config(t, all, false)
	clean, state := f.snapshot(t), states.NewState()

	// step applies with full disks and then with free space. It returns the errors of the first apply by address.
	step := func(what string, opts engine.PlanOptions) map[string]string {
		t.Helper()
		before := f.snapshot(t)
		plan := f.plan(t, config, state, opts, -1)
		f.root.Run(t, "sh", "-ec", fullDisks)
		after, diags := f.engine.Apply(t.Context(), config, plan)
		during := f.snapshot(t)
		f.root.Run(t, "sh", "-ec", freeDisks)
		if after != nil {
			state = after
		}
		failed := map[string]string{}
		for _, d := range diags {
			if d.Severity == diag.Error {
				failed[d.Address] += d.Summary + ": " + d.Detail + "\n"
			}
		}
		for address, text := range failed {
			t.Logf("%s: %s: %s", what, address, text)
			if !strings.Contains(text, "host a") && !strings.Contains(text, "a:/") {
				t.Errorf("%s: the error of %s does not name the host: %s", what, address, text)
			}
			if !strings.Contains(strings.ToLower(text), "no space left on device") {
				t.Errorf("%s: the error of %s does not have the cause: %s", what, address, text)
			}
			for _, wrong := range []string{"another program", "chown", "Create the user"} {
				if strings.Contains(text, wrong) {
					t.Errorf("%s: the error of %s has a remedy for another cause: %s", what, address, text)
				}
			}
		}
		state = f.apply(t, config, f.plan(t, config, state, opts, -1))
		for _, problem := range torn(before, during, f.snapshot(t)) {
			t.Errorf("%s: %s", what, problem)
		}
		return failed
	}
	failed := step("create", engine.PlanOptions{})
	for _, m := range all {
		if failed[m.address()] == "" {
			t.Errorf("%s was created on a full disk, want an error", m.address())
		}
	}
	f.plan(t, config, state, engine.PlanOptions{}, 0)
	for _, m := range all {
		_, d := m.drift(r)
		d.do(t, f.root, m.id)
	}
	step("repair", engine.PlanOptions{})
	f.plan(t, config, state, engine.PlanOptions{}, 0)
	step("destroy", engine.PlanOptions{Mode: plans.DestroyMode})
	f.root.Run(t, "sh", "-ec", removeKept)
	if diff := cmp.Diff(clean, f.snapshot(t)); diff != "" {
		t.Errorf("the destroy left differences on the host (-before +after):\n%s", diff)
	}
}

package mount_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
)

// TestRecordedMount mounts, remounts, repairs, imports and unmounts a file system.
func TestRecordedMount(t *testing.T) { testChanges(t, record(t)) }

// record returns the host of a test that mounts below /srv.
func record(t *testing.T) resourcetest.Recorded {
	t.Helper()
	return resourcetest.Record(t, transcript.Options{
		ReadOnly: func(args []string) bool { return len(args) == 6 && args[0] == "/bin/sh" }, // path and source are parameters
		Watch:    []string{fstab},
		Omit: func(line string) bool { // other mounts
			fields := strings.Fields(line)
			return len(fields) > 8 && !strings.HasPrefix(fields[4], "/srv/")
		},
		Versions: [][]string{{"mount", "--version"}},
	})
}

// TestRecordedMountAfterPlan checks that an update or a destroy does not unmount what another
// program mounted after the plan.
func TestRecordedMountAfterPlan(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	of := func(source string, mounted bool) resourcetest.Attrs {
		return resourcetest.Attrs{
			"path": cty.StringVal("/srv/it"), "source": cty.StringVal(source), "type": cty.StringVal("tmpfs"), "mounted": cty.BoolVal(mounted),
		}
	}
	edited := &resourcetest.EditedHost{Host: h}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, edited), "posix_mount")
	o.Apply(of("one", true))
	const kept = "grep -qx 'one /srv/it tmpfs defaults 0 0' /etc/fstab; grep -q x /srv/it/kept"
	for _, tt := range []struct {
		source string
		late   bool // mounted while the update runs
		want   string
	}{
		{source: "theirs", want: "the file system at /srv/it, now theirs of type tmpfs, on host local was changed after the plan was made"},
		{source: "theirs", late: true, want: "during the apply, another program mounted theirs of type tmpfs at /srv/it on host local"},
		{source: "one", want: "several file systems of type tmpfs with the source one are mounted one over another"},
	} {
		for _, next := range []resourcetest.Attrs{of("two", true), of("two", false)} { // both write the line
			o.Refresh()
			plan := o.Plan(next)
			resourcetest.NoErrors(t, plan.Diagnostics)
			mount := func() { does("mount -t tmpfs " + tt.source + " /srv/it; echo x >/srv/it/kept") }
			if tt.late {
				edited.BeforeWrite = mount
			} else {
				mount()
			}
			resourcetest.WantError(t, o.ApplyPlan(next, plan), "", tt.want)
			does(kept + "; umount /srv/it")
		}
	}
	does("mount -t tmpfs one /srv/it; echo x >/srv/it/kept")
	resourcetest.WantError(t, o.Destroy(), "", "several file systems of type tmpfs with the source one are mounted one over another")
	does(kept + "; umount /srv/it")
	// The plan shows another file system that was mounted before the plan.
	does("mount -t tmpfs theirs /srv/it")
	o.Apply(of("two", true))
	does("umount /srv/it; umount /srv/it")
	resourcetest.NoErrors(t, o.Destroy())
}

// testChanges creates, changes, repairs, imports and destroys a mount on a host.
func testChanges(t *testing.T, h resourcetest.Recorded) {
	t.Helper()
	by := func(script string) func() {
		return func() { resourcetest.Must(t, h.Does(script)()) }
	}
	first, second := config("one", "tmpfs", `["ro", "size=1m"]`, ""), config("two", "tmpfs", `["noexec", "size=2m"]`, "dump = 1")
	remounted := config("one", "tmpfs", `["noexec", "size=2m"]`, "")
	unmounted := config("two", "tmpfs", `["noexec", "size=2m"]`, "mounted = false")
	has := func(line, options string) resource.TestCheckFunc {
		return resourcetest.Check(h.Does("grep -qx '" + line + "' /etc/fstab; findmnt -n -o OPTIONS -M /srv/it | grep '" + options + "'"))
	}
	is := has("two /srv/it tmpfs noexec,size=2m 1 0", "rw,noexec.*size=2048k")
	steps := []resource.TestStep{
		{Config: config("x", "swap", `["sw"]`, ""), PlanOnly: true, ExpectError: resourcetest.WrappedText("mounted at a path, but is swap")},
		{
			PreConfig: by("mkdir -p /srv/it; mount -t tmpfs theirs /srv/it"),
			Config:    first, PlanOnly: true, ExpectError: resourcetest.WrappedText("another file system is mounted at /srv/it on host " + h.Name() + ": theirs of type tmpfs"),
		},
		{Config: first, PreConfig: by("umount /srv/it"), Check: has("one /srv/it tmpfs ro,size=1m 0 0", "ro.*size=1024k")},
		{Config: remounted, ConfigPlanChecks: plans("update options"), Check: has("one /srv/it tmpfs noexec,size=2m 0 0", "rw,noexec.*size=2048k")},
		{Config: second, ConfigPlanChecks: plans("update dump source"), Check: is},
		{Config: second, PreConfig: by("umount /srv/it"), ConfigPlanChecks: plans("update mounted"), Check: is},
		{Config: second, PreConfig: by("mount -o remount,size=8m /srv/it"), ConfigPlanChecks: plans("update mounted_otherwise"), Check: is},
		{Config: second, PreConfig: by("sed -i 's/noexec,size=2m/noexec/' /etc/fstab"), ConfigPlanChecks: plans("update options"), Check: is},
		{Config: second, PreConfig: by("umount /srv/it; sed -i '/^two/d' /etc/fstab"), ConfigPlanChecks: plans("create"), Check: is},
		{Config: unmounted, ConfigPlanChecks: plans("update dump mounted")},
		{Config: second, ConfigPlanChecks: plans("update dump mounted")},
		{
			ResourceName: "posix_mount.it", ImportState: true, ImportStateId: "/srv/it",
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "path",
		},
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", h.Provider(types)),
		Steps:                    steps,
		CheckDestroy: func(*terraform.State) error {
			return h.Does("test -z \"$(findmnt -n -M /srv/it; grep /srv/it /etc/fstab)\"")()
		},
	})
}

// TestRecordedDeviceMapper checks that a file system is recognised by a name of its device other than the one
// that the kernel shows, even if the file system has a device number of its own, as btrfs does. The test mounts
// a tmpfs, for which the kernel shows any source.
func TestRecordedDeviceMapper(t *testing.T) {
	h := record(t)
	resourcetest.Must(t, h.Does("mount -t tmpfs x /sys/block; mkdir -p /srv/it /sys/block/dm-0/dm /dev/mapper /dev/vg; echo vg-home >/sys/block/dm-0/dm/name; "+
		"touch /dev/dm-0; ln -s ../dm-0 /dev/mapper/vg-home; ln -s ../dm-0 /dev/vg/home; mount -t tmpfs /dev/mapper/vg-home /srv/it")())
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	o.Apply(attrs("/dev/vg/home", "tmpfs", "defaults"))
	resourcetest.NoErrors(t, o.Destroy())
	resourcetest.Must(t, h.Does("grep ' /srv/it ' /proc/self/mountinfo && exit 1; umount /sys/block; rm /dev/dm-0 /dev/mapper/vg-home /dev/vg/home")())
}

// TestRecordedBtrfs checks that a file system with several devices is recognised by a device other than the one that
// the kernel shows. The test mounts a tmpfs, for which the kernel shows any source.
func TestRecordedBtrfs(t *testing.T) {
	h := record(t)
	resourcetest.Must(t, h.Does("mount -t tmpfs x /sys/fs; mkdir -p /srv/it /sys/fs/btrfs/1f/devices /sys/fs/btrfs/2f/devices; "+
		"touch /sys/fs/btrfs/1f/devices/sdx /sys/fs/btrfs/1f/devices/sdy /sys/fs/btrfs/2f/devices/sdz; mount -t tmpfs /dev/sdx /srv/it")())
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	resourcetest.WantError(t, o.Plan(attrs("/dev/sdz", "tmpfs", "defaults")).Diagnostics, "path", "another file system is mounted at /srv/it")
	o.Apply(attrs("/dev/sdy", "tmpfs", "defaults"))
	resourcetest.NoErrors(t, o.Destroy())
	resourcetest.Must(t, h.Does("grep ' /srv/it ' /proc/self/mountinfo && exit 1; umount /sys/fs")())
}

// TestRecordedBackslash checks that a path may have backslashes, which some shells interpret in the arguments of echo.
func TestRecordedBackslash(t *testing.T) {
	h := record(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	a := attrs("one", "tmpfs", "defaults")
	a["path"] = cty.StringVal(`/srv/a\new`)
	o.Apply(a)
	resourcetest.NoErrors(t, o.Destroy())
	resourcetest.Must(t, h.Does(`! grep ' /srv/a' /proc/self/mountinfo; rmdir '/srv/a\new'`)())
}

// TestRecordedCopies checks that a bind mount is unmounted with the copies of the mounts below its source, and that
// neither the originals nor other mounts are unmounted.
func TestRecordedCopies(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	does("mkdir -p /srv/src /srv/it; mount -t tmpfs src /srv/src; mount --make-shared /srv/src; mkdir -p /srv/src/a/sub /srv/src/b/sub\n" +
		"for at in a/sub b/sub a/sub; do mount -t tmpfs $at /srv/src/$at; done; mkdir /srv/src/a/sub/deep; mount -t tmpfs deep /srv/src/a/sub/deep")
	const originals = "mountpoint /srv/src/a/sub/deep; mountpoint /srv/src/b/sub; "
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	o.Apply(attrs("/srv/src/a", "none", "rbind"))
	does("mountpoint /srv/it/sub/deep")
	o.Apply(attrs("/srv/src/b", "none", "bind"))
	does(originals + "! mountpoint /srv/it/sub")

	// The kernel makes a copy of a file system that is mounted later.
	does("mkdir /srv/src/b/late; mount -t tmpfs late /srv/src/b/late; mountpoint /srv/it/late")
	resourcetest.NoErrors(t, o.Destroy())
	does(originals + "mountpoint /srv/src/b/late; ! grep ' /srv/it' /proc/self/mountinfo")

	o.Apply(attrs("/srv/src/b", "none", "rbind"))
	does("mount --make-rprivate /srv/it; mount -t tmpfs theirs /srv/it/sub; echo x >/srv/it/sub/kept")
	resourcetest.WantError(t, o.Destroy(), "", "Other file systems are mounted below it: /srv/it/sub. Unmount these first")
	does("grep -q x /srv/it/sub/kept; mountpoint /srv/it/late; umount /srv/it/sub")
	resourcetest.NoErrors(t, o.Destroy())
	does(originals + "grep ' /srv/it' /proc/self/mountinfo && exit 1; umount -R /srv/src")
}

// TestRecordedNotCopies checks that a file system of another line below a bind mount is not unmounted with that mount, although the
// kernel mounts it below the source too.
func TestRecordedNotCopies(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	p := resourcetest.NewOn(t, types, h)
	o, below := resourcetest.NewObject(t, p, "posix_mount"), resourcetest.NewObject(t, p, "posix_mount")
	fails := func(next resourcetest.Attrs, want string) {
		t.Helper()
		o.Refresh()
		plan := o.Plan(next)
		resourcetest.NoErrors(t, plan.Diagnostics)
		resourcetest.WantError(t, o.ApplyPlan(next, plan), "", want)
	}
	does("mkdir -p /srv/src /srv/other; mount -t tmpfs src /srv/src; mount --make-shared /srv/src")
	o.Apply(attrs("/srv/src", "none", "bind"))
	managed := attrs("managed", "tmpfs", "defaults")
	managed["path"] = cty.StringVal("/srv/it/sub")
	below.Apply(managed)
	const both = "mountpoint /srv/src/sub; mountpoint /srv/it/sub"
	does(both + "; mkdir /srv/src/copy; mount -t tmpfs copy /srv/src/copy; mountpoint /srv/it/copy")
	unmounted := attrs("/srv/src", "none", "bind")
	unmounted["mounted"] = cty.False
	const want = "Other file systems are mounted below it: /srv/it/sub. Unmount these first"
	fails(unmounted, want)
	fails(attrs("/srv/other", "none", "bind"), want)
	resourcetest.WantError(t, o.Destroy(), "", want)
	does(both)
	below.NoChange(managed)
	resourcetest.NoErrors(t, below.Destroy())
	resourcetest.NoErrors(t, o.Destroy())
	does("mountpoint /srv/src/copy; grep ' /srv/it' /proc/self/mountinfo && exit 1; umount -R /srv/src")
}

// TestRecordedBindSource checks that unmounting the source of a bind mount, or a directory that is mounted on itself,
// does not unmount the file systems below it.
func TestRecordedBindSource(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	o.Apply(attrs("source", "tmpfs", "defaults"))
	does("mkdir -p /srv/it/sub /srv/view; mount -t tmpfs sub /srv/it/sub; mount --rbind /srv/it /srv/view")
	resourcetest.WantError(t, o.Destroy(), "", "Other file systems are mounted below it: /srv/it/sub. Unmount these first")
	does("mountpoint /srv/it/sub; umount -R /srv/view; umount /srv/it/sub")
	resourcetest.NoErrors(t, o.Destroy())

	does("mount -t tmpfs srv /srv; mkdir /srv/it")
	o.Apply(attrs("/srv/it", "none", "bind"))
	does("mkdir /srv/it/sub; mount -t tmpfs sub /srv/it/sub")
	resourcetest.WantError(t, o.Destroy(), "", "Other file systems are mounted below it: /srv/it/sub. Unmount these first")
	does("mountpoint /srv/it/sub; umount /srv/it/sub")
	resourcetest.NoErrors(t, o.Destroy())
	does("umount /srv")
}

// TestRecordedAutomount checks that a file system that systemd mounts on access counts as configured while
// nothing is mounted, and that an update leaves the mount to systemd.
func TestRecordedAutomount(t *testing.T) {
	h := record(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, h.Does(script)())
	}
	of := func(mounted bool, options ...string) resourcetest.Attrs {
		a := attrs("one", "tmpfs", "x-systemd.automount")
		list := a["options"].AsValueSlice()
		for _, option := range options {
			list = append(list, cty.StringVal(option))
		}
		a["options"], a["mounted"] = cty.ListVal(list), cty.BoolVal(mounted)
		return a
	}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	o.Apply(of(true))
	does("umount /srv/it; mkfifo /run/automount; exec 5<>/run/automount; mount -t autofs -o fd=5,direct,minproto=5,maxproto=5 systemd-1 /srv/it")
	const waits = "grep -c ' /srv/it ' /proc/self/mountinfo | grep -x 1; "
	o.NoChange(of(true))
	o.Apply(of(true, "size=1m"))
	does(waits + "grep '^one /srv/it tmpfs x-systemd.automount,size=1m ' /etc/fstab")
	o.Apply(of(false, "size=1m"))
	o.Apply(of(true, "size=1m"))
	does(waits)

	resourcetest.NoErrors(t, o.Import("/srv/it", cty.NilVal))
	o.NoChange(of(true, "size=1m"))
	does("mount -t tmpfs -o size=1m one /srv/it") // as systemd mounts it
	o.NoChange(of(true, "size=1m"))
	o.Apply(of(false, "size=1m"))
	resourcetest.NoErrors(t, o.Destroy())

	// Without the option, an automount point does not count.
	does(waits)
	o.Apply(attrs("one", "tmpfs", "defaults"))
	does("umount /srv/it")
	o.Refresh()
	o.Changes(attrs("one", "tmpfs", "defaults"), "mounted")
	resourcetest.NoErrors(t, o.Destroy())
	does("umount /srv/it; rm /run/automount")
}

package mount_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestLifeSystemd mounts on a host with a running systemd, which makes a unit for each line of
// fstab and for each mount.
func TestLifeSystemd(t *testing.T) {
	roottest.Require(t)
	b := resourcetest.Boot(t)
	resourcetest.Must(t, b.Does("echo '# none' >/etc/fstab; systemctl daemon-reload")())
	const at, unit, line = "/srv/scratch", "srv-scratch.mount", "tmpfs /srv/scratch tmpfs size=64m,mode=1777,nodev,nosuid,noexec 0 0"
	// good checks that systemd has read the line, and waits for the unit that it makes when the kernel reports the mount.
	good := b.Does("grep -qx '" + line + "' /etc/fstab; findmnt -n -o OPTIONS -M " + at + " | grep size=65536k; timeout 60 sh -c 'until systemctl is-active " + unit +
		"; do sleep 0.1; done'; systemctl show -p SourcePath -p NeedDaemonReload -p Options " + unit + " | sort | tr '\\n' ' ' | grep 'NeedDaemonReload=no Options=.*size=65536k.* SourcePath=/etc/fstab'")
	gone := b.Does("test \"$(cat /etc/fstab)\" = '# none'; systemctl show -p LoadState " + unit + " | grep not-found")
	life := resourcetest.Life{
		Provider: b.Provider(types),
		Config:   resourcetest.ExampleFile(t, "resources/posix_mount/resource.tf"),
		Address:  "posix_mount.scratch",
		ImportID: at, WithHost: b.Name() + ":" + at,
		Identifier: "path",
		Drifts: map[string]resourcetest.Drift{
			"the unit is stopped":         {Make: b.Does("systemctl stop " + unit), Plan: "update mounted", Check: good},
			"remounted with another size": {Make: b.Does("mount -o remount,size=8m " + at), Plan: "update mounted_otherwise", Check: good},
			"options in fstab":            {Make: b.Does("sed -i 's/size=64m/size=1m/' /etc/fstab; systemctl daemon-reload; systemctl reload " + unit), Plan: "update options", Check: good},
			"removed":                     {Make: b.Does("systemctl stop " + unit + "; echo '# none' >/etc/fstab; systemctl daemon-reload"), Plan: "create", Check: good},
		},
		Exists: func() (bool, error) {
			err := gone()
			return err != nil, err
		},
	}
	life.Run(t)
	t.Run("Automount", func(t *testing.T) {
		does := func(script string) {
			t.Helper()
			resourcetest.Must(t, b.Does(script)())
		}
		does("mknod -m 600 /dev/autofs c 10 235; systemctl daemon-reexec") // systemd checks for /dev/autofs when it starts
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, b), "posix_mount")
		set := attrs("tmpfs", "tmpfs", "")
		set["options"] = cty.ListVal([]cty.Value{cty.StringVal("x-systemd.automount"), cty.StringVal("x-systemd.idle-timeout=1")})
		o.Apply(set)
		const mounted = "grep -q ' /srv/it .* - tmpfs ' /proc/self/mountinfo"                                       // does not use the path
		does("umount /srv/it; systemctl start srv-it.automount; grep ' /srv/it .* - autofs ' /proc/self/mountinfo") // as after a boot
		o.NoChange(set)
		does("! " + mounted)
		does("exec 5</srv/it; " + mounted + "; exec 5<&-; timeout 60 sh -c \"while " + mounted + "; do sleep 0.1; done\"") // not idle while it is open
		o.NoChange(set)

		for _, use := range []string{"true", "ls /srv/it"} { // before and after an access
			does(use)
			resourcetest.WantError(t, o.ApplyPlan(attrs("tmpfs", "tmpfs", "bogus=1"), o.Plan(attrs("tmpfs", "tmpfs", "bogus=1"))), "", "cannot mount tmpfs")
			does("grep ' /srv/it .* - autofs ' /proc/self/mountinfo; ls /srv/it; " + mounted)
			o.Refresh()
			o.NoChange(set)
		}
		o.Apply(attrs("tmpfs", "tmpfs", "size=1m")) // without the option
		does("grep -q ' /srv/it .* - tmpfs .*size=1024k' /proc/self/mountinfo; if grep ' /srv/it .* - autofs ' /proc/self/mountinfo; then exit 1; fi")
		o.Apply(set)
		does("umount /srv/it; systemctl start srv-it.automount; cd /srv/it; sleep 1000 >/dev/null 2>&1 & echo $! >/run/user.pid")
		resourcetest.WantError(t, o.Destroy(), "", "It is in use by sleep")
		does(mounted + "; pid=$(cat /run/user.pid); kill $pid; while readlink /proc/$pid/cwd; do :; done")
		resourcetest.NoErrors(t, o.Destroy())
		does("ls /srv/it; ! grep ' /srv/it ' /proc/self/mountinfo")
	})
	t.Run("Reboot", func(t *testing.T) {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", b.Provider(types)),
			Steps: []resource.TestStep{
				{Config: life.Config},
				{Config: life.Config, PreConfig: func() { b.Reboot(t) }, ConfigPlanChecks: resourcetest.Plans("posix_mount.scratch", "")},
				{Config: life.Config, Check: resourcetest.Check(good)},
			},
		})
		resourcetest.Must(t, gone())
	})
	t.Run("All", func(t *testing.T) {
		tier.Nightly(t) // other tests do the same without systemd
		testChanges(t, b.Recorded)
		conformance.Conformance(t, options(b.Provider(types), b.Does, "# none"))
	})
}

package mount_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/mount"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Starts: append(resourcetest.Systemd, roottest.Options{})})
}

var types = runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"mount": mount.Resource()}}

// The tests share one fstab, so they are not parallel.

const fstab = "/etc/fstab"

// others has lines of other programs, in unusual forms. One of them is invalid.
const others = "# <file system>  <mount point>\t<type>\n\nproc\t/proc  proc\tdefaults 0   0\n/dev/sda1 /boot\\040me ext4 ro\n#/srv/scratch tmpfs\nbroken\n/dev/sda2 none swap sw 0 0"

func start(t *testing.T) {
	t.Helper()
	resourcetest.Must(t, os.WriteFile(fstab, []byte(others), 0o644))
	t.Cleanup(func() {
		for _, at := range []string{"/srv/scratch", "/srv/public", "/srv/it", "/mnt/backup disk"} {
			for run("umount", at)() == nil {
				t.Errorf("%s is mounted after the test, want no mount", at)
			}
		}
	})
}

// checkFstab checks that fstab is unchanged, except for a newline at its end.
func checkFstab(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(fstab); err != nil || strings.TrimSuffix(string(text), "\n") != others {
		t.Errorf("fstab was changed (%v):\n%s\nwant\n%s", err, text, others)
	}
}

func run(args ...string) func() error {
	return func() error {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", args, err, out)
		}
		return err
	}
}

func all(do ...func() error) func() error {
	return func() error {
		for _, f := range do {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

// edit returns a function that replaces a text in fstab. The text must exist.
func edit(old, is string) func() error {
	return func() error {
		text, err := os.ReadFile(fstab)
		if err == nil && !strings.Contains(string(text), old) {
			err = fmt.Errorf("fstab has no %q:\n%s", old, text)
		}
		if err != nil {
			return err
		}
		return os.WriteFile(fstab, []byte(strings.Replace(string(text), old, is, 1)), 0o644)
	}
}

// is returns a check of the line in fstab and of the options of the mount. An option that starts with
// an exclamation mark must not be in effect. Without options, is checks that nothing is mounted. The first lines
// of fstab must be others.
func is(line, at string, options ...string) func() error {
	return func() error {
		text, err := os.ReadFile(fstab)
		if err != nil {
			return err
		}
		if strings.Count("\n"+string(text), "\n"+line+"\n") != 1 || !strings.HasPrefix(string(text), others) {
			return fmt.Errorf("want the line %q once in fstab, and the other lines unchanged, but fstab is\n%s", line, text)
		}
		out, err := exec.Command("findmnt", "-n", "-o", "OPTIONS", "-M", at).CombinedOutput()
		has := strings.Split(strings.TrimSpace(string(out)), ",")
		switch {
		case len(options) == 0 && err == nil:
			return fmt.Errorf("%s is mounted, want no mount", at)
		case len(options) > 0 && err != nil:
			return fmt.Errorf("%s is not mounted: %w", at, err)
		}
		for _, option := range options {
			name, unwanted := strings.CutPrefix(option, "!")
			if slices.Contains(has, name) == unwanted {
				return fmt.Errorf("%s has the options %q, want %q", at, has, options)
			}
		}
		return nil
	}
}

func exists(line, at string) func() (bool, error) {
	return func() (bool, error) {
		text, err := os.ReadFile(fstab)
		return strings.Contains(string(text), line) || run("findmnt", "-M", at)() == nil, err
	}
}

func TestLife(t *testing.T) {
	roottest.Require(t)
	resourcetest.Imports(t, "resources/posix_mount", "posix_mount.scratch", "/srv/scratch")
	start(t)
	const at, line = "/srv/scratch", "tmpfs /srv/scratch tmpfs size=64m,mode=1777,nodev,nosuid,noexec 0 0"
	good := is(line, at, "rw", "size=65536k", "nodev", "nosuid", "noexec")
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     resourcetest.ExampleFile(t, "resources/posix_mount/resource.tf"),
		Address:    "posix_mount.scratch",
		ImportID:   at,
		Identifier: "path",
		Drifts: map[string]resourcetest.Drift{
			"unmounted":                      {Make: run("umount", at), Plan: "update mounted", Check: good},
			"remounted with other options":   {Make: run("mount", "-o", "remount,ro,exec", at), Plan: "update mounted_otherwise", Check: good},
			"remounted with another size":    {Make: run("mount", "-o", "remount,size=8m", at), Plan: "update mounted_otherwise", Check: good},
			"different file system mounted":  {Make: all(run("umount", at), run("mount", "-t", "tmpfs", "x", at)), Plan: "update mounted_otherwise", Check: good},
			"options in fstab":               {Make: edit("size=64m,", "size=64m,uid=0,"), Plan: "update options", Check: good},
			"source in fstab":                {Make: edit("tmpfs /srv", "x\xff /srv"), Plan: "update mounted_otherwise source", Check: good},
			"type in fstab":                  {Make: edit("tmpfs size", "ramfs size"), Plan: "update mounted_otherwise type", Check: good},
			"dump in fstab":                  {Make: edit("noexec 0 0", "noexec 1 0"), Plan: "update dump", Check: good},
			"pass in fstab":                  {Make: edit("noexec 0 0", "noexec 0 x"), Plan: "update pass", Check: good},
			"whitespace in fstab":            {Make: edit("tmpfs /srv", "tmpfs\t/srv"), Plan: ""},
			"line removed from fstab":        {Make: edit(line+"\n", ""), Plan: "create", Check: good},
			"options in fstab and remounted": {Make: all(edit("noexec 0", "exec 0"), run("mount", "-o", "remount,exec", at)), Plan: "update options", Check: good},
			"removed":                        {Make: all(run("umount", at), edit(line+"\n", ""), run("rmdir", at)), Plan: "create", Check: good},
		},
		Exists: exists("tmpfs /srv/scratch", at),
	}.Run(t)
	checkFstab(t)
}

func TestLifeOfBind(t *testing.T) {
	roottest.Require(t)
	start(t)
	const at, line = "/srv/public", "/usr/share/doc /srv/public none bind,ro 0 0"
	good := is(line, at, "ro")
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     resourcetest.ExampleFile(t, "resources/posix_mount/resource_bind.tf"),
		Address:    "posix_mount.public",
		ImportID:   at,
		Identifier: "path",
		Drifts: map[string]resourcetest.Drift{
			"unmounted":                     {Make: run("umount", at), Plan: "update mounted", Check: good},
			"remounted with other options":  {Make: run("mount", "-o", "remount,bind,rw", at), Plan: "update mounted_otherwise", Check: good},
			"different file system mounted": {Make: all(run("umount", at), run("mount", "--bind", "/usr/share", at)), Plan: "update mounted_otherwise", Check: good},
			"removed":                       {Make: all(run("umount", at), edit(line+"\n", "")), Plan: "create", Check: good},
		},
		Exists: exists(" /srv/public ", at),
	}.Run(t)
	checkFstab(t)
}

// TestBindFlags checks that the flags of a bind mount are in effect although mount(8) ignores them, as that of
// busybox does.
func TestBindFlags(t *testing.T) {
	roottest.Require(t)
	start(t)
	const program = "/usr/local/bin/mount"
	resourcetest.Must(t, os.WriteFile(program, []byte("#!/bin/sh\n[ \"$*\" != /srv/it ] || exec /bin/mount --bind /usr/share/doc /srv/it\nexec /bin/mount \"$@\"\n"), 0o755))
	t.Cleanup(func() { resourcetest.Must(t, os.Remove(program)) })
	resourcetest.Steps(t, types, resource.TestStep{
		Config: config("/usr/share/doc", "none", `["bind", "ro", "noexec"]`, ""),
		Check:  resourcetest.Check(is("/usr/share/doc /srv/it none bind,ro,noexec 0 0", "/srv/it", "ro", "noexec")),
	})
	checkFstab(t)
}

// TestLifeUnmounted checks that the file system is unmounted with mounted = false.
func TestLifeUnmounted(t *testing.T) {
	roottest.Require(t)
	start(t)
	const at, line = "/mnt/backup disk", `UUID=0a3407de-014b-458b-b5c1-848e92a327a3 /mnt/backup\040disk ext4 noauto,nofail,noatime 0 2`
	resourcetest.Life{
		Provider:   resourcetest.Provider(types),
		Config:     resourcetest.ExampleFile(t, "resources/posix_mount/resource_disk.tf"),
		Address:    "posix_mount.backup",
		ImportID:   at,
		Identifier: "path",
		Drifts: map[string]resourcetest.Drift{
			"mounted": {Make: all(run("mkdir", "-p", at), run("mount", "-t", "tmpfs", "x", at)), Plan: "update mounted mounted_otherwise", Check: is(line, at)},
			"removed": {Make: edit(line+"\n", ""), Plan: "create", Check: is(line, at)},
		},
		Exists: exists("UUID=", at),
	}.Run(t)
	checkFstab(t)
}

func config(source, kind, options, more string) string {
	return fmt.Sprintf("resource \"posix_mount\" \"it\" {\n  path = \"/srv/it\"\n  source = %q\n  type = %q\n  options = %s\n  %s\n}\n", source, kind, options, more)
}

func plans(what string) resource.ConfigPlanChecks { return resourcetest.Plans("posix_mount.it", what) }

// TestChange checks that a remount changes options, and that an unmount and a mount change
// source and type.
func TestChange(t *testing.T) {
	roottest.Require(t)
	start(t)
	const at = "/srv/it"
	keep := run("sh", "-c", "echo x >/srv/it/kept")
	kept := run("grep", "x", "/srv/it/kept")
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("one", "tmpfs", `["ro", "size=1m"]`, ""), Check: resourcetest.Check(is("one /srv/it tmpfs ro,size=1m 0 0", at, "ro", "size=1024k", "!noexec"))},
		resource.TestStep{
			Config: config("one", "tmpfs", `["noexec", "size=2m"]`, "dump = 1"), ConfigPlanChecks: plans("update dump options"),
			Check: resourcetest.Check(all(is("one /srv/it tmpfs noexec,size=2m 1 0", at, "rw", "size=2048k", "noexec"), keep)),
		},
		resource.TestStep{
			Config: config("one", "tmpfs", `["size=2m", "user", "exec"]`, ""), ConfigPlanChecks: plans("update dump options"),
			Check: resourcetest.Check(all(is("one /srv/it tmpfs size=2m,user,exec 0 0", at, "rw", "nosuid", "nodev", "!noexec"), kept)),
		},
		resource.TestStep{
			Config: config("two", "ramfs", `["defaults"]`, ""), ConfigPlanChecks: plans("update options source type"),
			Check: resourcetest.Check(all(is("two /srv/it ramfs defaults 0 0", at, "rw", "!nosuid"), run("test", "!", "-e", "/srv/it/kept"))),
		},
		resource.TestStep{
			Config: config("two", "ramfs", `["defaults"]`, "mounted = false"), ConfigPlanChecks: plans("update mounted"),
			Check: resourcetest.Check(is("two /srv/it ramfs defaults 0 0", at)),
		},
		resource.TestStep{
			Config: config("three", "tmpfs", `["defaults"]`, ""), ConfigPlanChecks: plans("update mounted source type"),
			Check: resourcetest.Check(is("three /srv/it tmpfs defaults 0 0", at, "rw")),
		},
	)
	checkFstab(t)
}

// TestUpdateMakesDirectory checks that an update that mounts the file system uses the current
// value of create_directory, not that of the create.
func TestUpdateMakesDirectory(t *testing.T) {
	roottest.Require(t)
	start(t)
	const at = "/srv/it"
	of := func(more string) string { return config("one", "tmpfs", `["defaults"]`, more) }
	gone := func() { resourcetest.Must(t, os.RemoveAll(at)) }
	resourcetest.Steps(t, types,
		resource.TestStep{PreConfig: gone, Config: of("mounted = false\ncreate_directory = false")},
		resource.TestStep{Config: of("create_directory = false"), ExpectError: resourcetest.WrappedText("or set create_directory = true")},
		resource.TestStep{
			Config: of("create_directory = true"), ConfigPlanChecks: plans("update create_directory mounted"),
			Check: resourcetest.Check(is("one /srv/it tmpfs defaults 0 0", at, "rw")),
		},
		resource.TestStep{
			Config: of("create_directory = false"), ConfigPlanChecks: plans(""),
		},
		resource.TestStep{
			PreConfig: func() { resourcetest.Must(t, all(run("umount", at), run("rmdir", at))()) },
			Config:    of("create_directory = false"), ExpectError: resourcetest.WrappedText("or set create_directory = true"),
		},
	)
	checkFstab(t)
}

// TestFailedUpdate checks that a failed update restores the old line and the old file
// system.
func TestFailedUpdate(t *testing.T) {
	roottest.Require(t)
	start(t)
	good := is("one /srv/it tmpfs defaults 0 0", "/srv/it", "rw")
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, "")},
		resource.TestStep{Config: config("one", "nothing", `["defaults"]`, ""), ExpectError: resourcetest.WrappedText("unknown filesystem type")},
		resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, ""), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{resourcetest.Changes{}}}, Check: resourcetest.Check(good)},
	)
	checkFstab(t)
}

// TestBusy checks that the error about a busy file system names the processes that use it, or the file
// systems that are mounted below it.
func TestBusy(t *testing.T) {
	roottest.Require(t)
	start(t)
	user := exec.CommandContext(t.Context(), "sleep", "1000")
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, "")},
		resource.TestStep{
			PreConfig: func() {
				user.Dir = "/srv/it"
				resourcetest.Must(t, user.Start())
			},
			Config: "# nothing", ExpectError: resourcetest.WrappedText("It is in use by sleep (process"),
		},
		resource.TestStep{
			PreConfig: func() {
				_ = user.Process.Kill()
				_ = user.Wait() // it was killed
				resourcetest.Must(t, all(run("mkdir", "/srv/it/below"), run("mount", "-t", "tmpfs", "x", "/srv/it/below"))())
			},
			Config: "# nothing", ExpectError: resourcetest.WrappedText("Other file systems are mounted below it: /srv/it/below. Unmount these first"),
		},
		resource.TestStep{PreConfig: func() { resourcetest.Must(t, run("umount", "/srv/it/below")()) }, Config: "# nothing"},
	)
	checkFstab(t)
}

// TestBusyCopy checks that a failed destroy keeps a bind mount and the copies below it mounted and shared
// if one of them is busy.
func TestBusyCopy(t *testing.T) {
	roottest.Require(t)
	start(t)
	does := func(script string) {
		t.Helper()
		resourcetest.Must(t, run("sh", "-ec", script)())
	}
	does("mkdir -p /srv/src; mount -t tmpfs src /srv/src; mount --make-shared /srv/src; mkdir '/srv/src/a a' /srv/src/b\n" +
		"mount -t tmpfs a '/srv/src/a a'; mkdir '/srv/src/a a/deep'; mount -t tmpfs deep '/srv/src/a a/deep'; mount -t tmpfs b /srv/src/b")
	o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_mount")
	o.Apply(attrs("/srv/src", "none", "rbind"))
	const good = "for at in it src; do grep \" /srv/$at[ /]\" /proc/self/mountinfo | grep -c shared: | grep -x 4; done\n" +
		"for at in 'a a' 'a a/deep' b; do [ \"/srv/src/$at\" -ef \"/srv/it/$at\" ] || exit 1; done"
	does(good)
	for _, busy := range []string{"/srv/it", "/srv/it/a a", "/srv/it/a a/deep", "/srv/it/b"} {
		user := exec.CommandContext(t.Context(), "sleep", "1000")
		user.Dir = busy
		resourcetest.Must(t, user.Start())
		resourcetest.WantError(t, o.Destroy(), "", "It is in use by sleep (process")
		_ = user.Process.Kill()
		_ = user.Wait() // it was killed
		does(good)
	}
	does("mkdir /srv/src/late; mount -t tmpfs late /srv/src/late; mountpoint /srv/it/late") // a later mount still appears below the path
	resourcetest.NoErrors(t, o.Destroy())
	does("mountpoint /srv/src/late; mountpoint '/srv/src/a a/deep'; mountpoint /srv/src/b; umount -R /srv/src")
	checkFstab(t)
}

// TestOtherFileSystem checks that a destroy does not unmount another file system.
func TestOtherFileSystem(t *testing.T) {
	roottest.Require(t)
	start(t)
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, "")},
		resource.TestStep{
			PreConfig: func() {
				resourcetest.Must(t, all(run("umount", "/srv/it"), run("mount", "-t", "tmpfs", "theirs", "/srv/it"))())
			},
			Config: "# nothing",
		},
	)
	checkFstab(t)
	resourcetest.Must(t, run("umount", "/srv/it")())
}

// TestHiddenMount checks that a file system that hides the managed one is unmounted, and
// that the managed one is not mounted twice.
func TestHiddenMount(t *testing.T) {
	roottest.Require(t)
	start(t)
	resourcetest.Steps(t, types,
		resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, "")},
		resource.TestStep{
			PreConfig: func() {
				resourcetest.Must(t, all(run("sh", "-c", "echo x >/srv/it/kept"), run("mount", "-t", "tmpfs", "theirs", "/srv/it"))())
			},
			Config: config("one", "tmpfs", `["defaults"]`, ""), ConfigPlanChecks: plans("update mounted_otherwise"),
			Check: resourcetest.Check(all(is("one /srv/it tmpfs defaults 0 0", "/srv/it", "rw"), run("grep", "x", "/srv/it/kept"))),
		},
	)
	checkFstab(t)
}

// TestImported checks that a mount that differs from its line is corrected after an import.
func TestImported(t *testing.T) {
	roottest.Require(t)
	start(t)
	resourcetest.Must(t, all(edit(others, others+"\none /srv/it tmpfs ro 0 0\n"), run("mkdir", "-p", "/srv/it"), run("mount", "-t", "tmpfs", "one", "/srv/it"))())
	resourcetest.Steps(t, types, resource.TestStep{
		Config:           "import {\n  to = posix_mount.it\n  id = \"/srv/it\"\n}\n" + config("one", "tmpfs", `["ro"]`, ""),
		ConfigPlanChecks: plans("import update mounted_otherwise"),
		Check:            resourcetest.Check(is("one /srv/it tmpfs ro 0 0", "/srv/it", "ro")),
	})
	checkFstab(t)
}

// TestMountedWithOtherOptions checks that the plan of a create warns that the apply remounts a file system.
func TestMountedWithOtherOptions(t *testing.T) {
	roottest.Require(t)
	start(t)
	resourcetest.Must(t, all(run("mkdir", "-p", "/srv/it"), run("mount", "-t", "tmpfs", "one", "/srv/it"))())
	h, err := local.New()
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_mount")
	set := attrs("one", "tmpfs", "noexec")
	plan := o.Plan(set)
	if d := plan.Diagnostics; len(d) != 1 || d[0].Severity != diag.Warning || !strings.HasSuffix(d[0].Detail, "the configured options: noexec is not in effect. The apply remounts it.") {
		t.Errorf("the plan has %v, want one warning about noexec", d)
	}
	resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
	resourcetest.Must(t, is("one /srv/it tmpfs noexec 0 0", "/srv/it", "noexec")())
	resourcetest.NoErrors(t, o.Destroy())
	checkFstab(t)
}

// TestCreateBeforeDestroy checks that a replacement with create_before_destroy keeps the
// mount.
func TestCreateBeforeDestroy(t *testing.T) {
	roottest.Require(t)
	start(t)
	const text = "resource \"terraform_data\" \"when\" {\n  input = %q\n}\n"
	more := "lifecycle {\n    create_before_destroy = true\n    replace_triggered_by = [terraform_data.when.output]\n  }"
	good := resourcetest.Check(is("one /srv/it tmpfs defaults 0 0", "/srv/it", "rw"))
	resourcetest.Steps(t, types,
		resource.TestStep{Config: fmt.Sprintf(text, "a") + config("one", "tmpfs", `["defaults"]`, more), Check: good},
		resource.TestStep{Config: fmt.Sprintf(text, "b") + config("one", "tmpfs", `["defaults"]`, more), Check: good},
	)
	checkFstab(t)
}

// TestOverSSH mounts over SSH, where files are accessed differently.
func TestOverSSH(t *testing.T) {
	roottest.Require(t)
	r := roottest.Start(t, roottest.Options{})
	at := r.Host(t)
	block := fmt.Sprintf("provider \"posix\" {\n  ssh_config = \"none\"\n  hosts = {\n    box = {\n      address = %q\n      port = %d\n"+
		"      user = %q\n      private_key_path = %q\n      known_hosts = [%q]\n    }\n  }\n  default_host = \"box\"\n}\n",
		at.Address, at.Port, at.User, at.KeyFile, strings.TrimSpace(at.KnownHosts))
	block += config("far", "tmpfs", `["noexec"]`, "")
	r.Run(t, "sh", "-c", "printf '# none' >/etc/fstab")
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: block},
			{PreConfig: func() { r.Run(t, "umount", "/srv/it") }, Config: block, ConfigPlanChecks: plans("update mounted")},
			{PreConfig: func() { r.Run(t, "mount", "-o", "remount,exec,ro", "/srv/it") }, Config: block, ConfigPlanChecks: plans("update mounted_otherwise")},
			{Config: block, Check: resourcetest.Check(func() error {
				if options := r.Run(t, "findmnt", "-n", "-o", "OPTIONS", "-M", "/srv/it"); !strings.HasPrefix(options, "rw,noexec") {
					return fmt.Errorf("/srv/it is mounted with %s, want rw,noexec", options)
				}
				return nil
			})},
		},
	})
	if text := r.Run(t, "cat", fstab); text != "# none" {
		t.Errorf("fstab is %q, want only the line # none", text)
	}
	r.Run(t, "sh", "-c", "! mountpoint -q /srv/it")
}

func TestErrors(t *testing.T) {
	roottest.Require(t)
	start(t)
	plain := config("one", "tmpfs", `["defaults"]`, "")
	for name, tt := range map[string]struct {
		config, want  string
		applied       bool // whether the error appears only during the apply
		line          string
		before, after func() error
	}{
		"several options":                     {config: config("x", "tmpfs", `["ro,noexec"]`, ""), want: "has several options: use one element"},
		"unclosed quotation mark":             {config: config("x", "tmpfs", `["context=\"a"]`, ""), want: "has a quotation mark that is not closed"},
		"no options":                          {config: config("x", "tmpfs", `[]`, ""), want: "at least 1"},
		"empty option":                        {config: config("x", "tmpfs", `[""]`, ""), want: "must not be empty"},
		"remount":                             {config: config("x", "tmpfs", `["remount"]`, ""), want: "not an option for fstab"},
		"line break in source":                {config: config("x\ny", "tmpfs", `["ro"]`, ""), want: "must not contain control characters"},
		"swap":                                {config: config("/dev/sdb", "swap", `["sw"]`, ""), want: "mounted at a path, but is swap"},
		"pass":                                {config: config("x", "tmpfs", `["ro"]`, "pass = -1"), want: "from 0 to 99"},
		"not a path":                          {config: strings.ReplaceAll(plain, "/srv/it", "none"), want: "absolute"},
		"existing line":                       {config: plain, line: "two /srv/it tmpfs defaults 0 0", want: `import it (id "local:/srv/it")`},
		"existing line with a trailing slash": {config: plain, line: "two /srv/it/ tmpfs defaults 0 0", want: `import it (id "local:/srv/it")`},
		"several existing lines":              {config: plain, line: "two /srv/it tmpfs defaults 0 0\none /srv/it tmpfs defaults 0 0", want: "/etc/fstab on host local has 2 lines for /srv/it: remove all but one"},
		"another file system mounted": {
			config: plain, want: "another file system is mounted at /srv/it on host local: theirs of type tmpfs", after: run("umount", "/srv/it"),
			before: all(run("mkdir", "-p", "/srv/it"), run("mount", "-t", "tmpfs", "theirs", "/srv/it")),
		},
		"mounted, with mounted = false": {
			config: config("one", "tmpfs", `["defaults"]`, "mounted = false"), want: "one is mounted at /srv/it on host local, and a create does not unmount it",
			before: all(run("mkdir", "-p", "/srv/it"), run("mount", "-t", "tmpfs", "one", "/srv/it")), after: run("umount", "/srv/it"),
		},
		"unknown type":   {config: config("x", "nothing", `["defaults"]`, ""), want: "unknown filesystem type", applied: true},
		"unknown option": {config: config("x", "tmpfs", `["nothing=1"]`, ""), want: "cannot mount x at /srv/it on host local", applied: true},
		"missing directory": {
			config: config("x", "tmpfs", `["ro"]`, "create_directory = false"), want: "or set create_directory = true", applied: true,
			before: func() error { return errors.Join(os.RemoveAll("/srv/it")) }, after: func() error { return nil },
		},
		"file as mount point": {
			config: plain, want: "mount point is not a directory", applied: true,
			before: all(run("rm", "-rf", "/srv/it"), run("touch", "/srv/it")), after: run("rm", "/srv/it"),
		},
		"broken link as mount point": {
			config: plain, want: "cannot mount one at /srv/it on host local", applied: true,
			before: all(run("rm", "-rf", "/srv/it"), run("ln", "-s", "/srv/missing", "/srv/it")), after: run("rm", "/srv/it"),
		},
		"option changed by the kernel": {
			config: config("x", "proc", `["gid=010"]`, ""), want: "differs from the configuration: gid=8 is in effect instead of gid=010", applied: true,
			before: func() error { return nil }, after: run("sh", "-c", "! mountpoint -q /srv/it"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := others
			if tt.line != "" {
				text += "\n" + tt.line
			}
			resourcetest.Must(t, os.WriteFile(fstab, []byte(text), 0o644))
			if tt.before != nil {
				resourcetest.Must(t, tt.before())
				defer func() { resourcetest.Must(t, tt.after()) }()
			}
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, !tt.applied, tt.want)
			if is, err := os.ReadFile(fstab); err != nil || strings.TrimSuffix(string(is), "\n") != text {
				t.Errorf("fstab was changed (%v):\n%s\nwant\n%s", err, is, text)
			}
		})
	}
}

// TestNoFile checks that a missing fstab is created, readable by all users.
func TestNoFile(t *testing.T) {
	roottest.Require(t)
	start(t)
	resourcetest.Must(t, os.Remove(fstab))
	resourcetest.Steps(t, types, resource.TestStep{Config: config("one", "tmpfs", `["defaults"]`, ""), Check: resourcetest.Check(func() error {
		info, err := os.Stat(fstab)
		if err == nil && info.Mode() != 0o644 {
			err = fmt.Errorf("fstab has mode %v, want 0644", info.Mode())
		}
		return err
	})})
	if text, err := os.ReadFile(fstab); len(text) > 0 && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("fstab is %q, want an empty or missing file", text)
	}
}

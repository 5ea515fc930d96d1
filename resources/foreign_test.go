package resources_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/block"
	"github.com/posixform/terraform-provider-posix/resources/cron"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/hostname"
	"github.com/posixform/terraform-provider-posix/resources/mount"
	"github.com/posixform/terraform-provider-posix/resources/packages"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/service"
	"github.com/posixform/terraform-provider-posix/resources/sudoers"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/resources/sysctl"
	"github.com/posixform/terraform-provider-posix/resources/tree"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// memoryTypes returns the resource types whose whole lifecycle works on the host of [newSystem]. Each provider needs
// types of its own, because a type can cache what it has read in a run.
func memoryTypes() runtime.Definition {
	return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
		"cron": cron.Resource(), "directory": directory.Resource(), "file": file.Resource(), "file_block": block.Resource(),
		"hostname": hostname.Resource(), "mount": mount.Resource(), "package_repository": packages.RepositoryResource(), "sudoers": sudoers.Resource(),
		"symlink": symlink.Resource(), "sysctl": sysctl.Resource(), "systemd_unit": service.UnitResource(), "tree": tree.Resource(),
	}}
}

// currentName is the file of the kernel with the current host name.
const currentName = "/proc/sys/kernel/hostname"

// newSystem returns a host in memory that has some directories and files of a Linux host, and on
// which the provider runs as root and all programs succeed. Only programs that write to /proc/sys
// have an effect.
func newSystem(t *testing.T) *counted {
	t.Helper()
	h := &counted{}
	h.Host = memory.New(memory.Config{Name: "town", Fault: h.record, Lost: h.lose, Run: func(_ context.Context, c host.Command) (host.Result, error) {
		if remotecmd.IsRootQuery(c) && c.Stdout != nil {
			_, err := io.Copy(c.Stdout, bytes.NewReader([]byte("0\n")))
			return host.Result{}, err
		}
		if args := remotecmd.Program(c); len(args) == 5 && strings.Contains(args[2], "cat >\"$1\"") {
			return host.Result{}, h.writeKernel(args[4], c.Stdin)
		} else if len(args) == 5 && strings.Contains(args[2], currentName) {
			return host.Result{}, h.writeKernel(currentName, strings.NewReader(args[4]+"\n"))
		}
		return host.Result{}, nil
	}})
	for _, dir := range []string{"/dir", "/etc/cron.d", "/etc/sudoers.d", "/etc/systemd/system", "/etc/yum.repos.d", "/proc/sys/kernel", "/proc/sys/vm", "/target"} {
		if _, err := host.MakeParents(t.Context(), h, path.Join(dir, "x"), host.Attributes{}); err != nil {
			t.Fatal(err)
		}
	}
	resourcetest.WriteOn(t, h, "/dir/lines", "a line\n")
	resourcetest.WriteOn(t, h, "/etc/fstab", "proc /proc proc defaults 0 0\n")
	resourcetest.WriteOn(t, h, "/proc/sys/vm/swappiness", "60\n")
	resourcetest.WriteOn(t, h, currentName, "town\n")
	return h
}

// warnings returns the warnings among diagnostics as text.
func warnings(diags diag.Diagnostics) string {
	var all []string
	for _, d := range diags {
		if d.Severity == diag.Warning {
			all = append(all, d.Summary+": "+d.Detail)
		}
	}
	return strings.Join(all, "\n")
}

// TestReplacedByAnotherType checks that it is drift if another process has put an object of
// another type in the place of a managed one: the managed object counts as deleted, only the apply
// of its resource fails, and the resource can be destroyed. The other object is never changed.
func TestReplacedByAnotherType(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	source := t.TempDir()
	resourcetest.Write(t, filepath.Join(source, "one"), "1", 0o644)
	for name, tt := range map[string]struct {
		config resourcetest.Attrs
		path   string
		want   host.FileType
	}{
		"posix_cron":               {resourcetest.Attrs{"name": str("it"), "schedule": str("@daily"), "user": str("root"), "command": str("true")}, "/etc/cron.d/it", host.TypeRegular},
		"posix_directory":          {resourcetest.Attrs{"path": str("/dir/it")}, "/dir/it", host.TypeDirectory},
		"posix_file":               {resourcetest.Attrs{"path": str("/dir/it"), "content": str("it")}, "/dir/it", host.TypeRegular},
		"posix_file_block":         {resourcetest.Attrs{"path": str("/dir/lines"), "name": str("it"), "content": str("it")}, "/dir/lines", host.TypeRegular},
		"posix_hostname":           {resourcetest.Attrs{"name": str("it")}, "/etc/hostname", host.TypeRegular},
		"posix_mount":              {unmounted(), "/etc/fstab", host.TypeRegular},
		"posix_package_repository": {minimalArguments["posix_package_repository"], "/etc/yum.repos.d/a.repo", host.TypeRegular},
		"posix_sudoers":            {resourcetest.Attrs{"name": str("it"), "content": str("a ALL=(ALL) ALL\n")}, "/etc/sudoers.d/it", host.TypeRegular},
		"posix_symlink":            {resourcetest.Attrs{"path": str("/dir/it"), "target": str("it")}, "/dir/it", host.TypeSymlink},
		"posix_sysctl":             {resourcetest.Attrs{"key": str("vm.swappiness"), "value": str("60")}, "/etc/sysctl.d/99-posix-vm.swappiness.conf", host.TypeRegular},
		"posix_systemd_unit":       {resourcetest.Attrs{"name": str("it.service"), "content": str("[Service]\nExecStart=/bin/true\n")}, "/etc/systemd/system/it.service", host.TypeRegular},
		"posix_tree":               {resourcetest.Attrs{"path": str("/dir/it"), "source": str(source)}, "/dir/it", host.TypeDirectory},
	} {
		for _, got := range []host.FileType{host.TypeRegular, host.TypeDirectory, host.TypeSymlink, host.TypeFIFO} {
			if got == tt.want {
				continue
			}
			t.Run(name+" by a "+got.String(), func(t *testing.T) {
				t.Parallel()
				h := newSystem(t)
				o := resourcetest.NewObject(t, resourcetest.NewOn(t, memoryTypes(), h), name)
				o.Apply(tt.config)
				resourcetest.Must(t, h.Rename(t.Context(), tt.path, "/dir/moved"))
				unchanged := putOther(t, h, tt.path, got)
				words := []string{tt.path + " on host town is a " + got.String() + ", but this resource manages a " + tt.want.String()}

				// A destroy without a refresh.
				destroyed := *o
				diags := destroyed.Destroy()
				resourcetest.NoErrors(t, diags)
				if name != "posix_hostname" { // its destroy does nothing on the host
					resourcetest.WantTexts(t, warnings(diags), append(words, "It is kept")...)
				}
				unchanged()

				o.NextRun()
				diags = o.Read()
				resourcetest.NoErrors(t, diags)
				resourcetest.WantTexts(t, warnings(diags), words...)
				if !o.State.IsNull() {
					t.Errorf("the object is still in the state: %#v", o.State)
				}
				plan := o.Plan(tt.config)
				resourcetest.NoErrors(t, plan.Diagnostics)
				resourcetest.WantTexts(t, warnings(plan.Diagnostics), append(words, "move it away")...)
				diags = o.ApplyPlan(tt.config, plan)
				resourcetest.WantError(t, diags, "", append(words, "neither followed nor replaced", "move it away")...)
				if text := diags.Error(); strings.Contains(text, "state rm") {
					t.Errorf("the error suggests state rm, want no such advice: %s", text)
				}
				unchanged()

				// The other object is removed, so that the original one can be moved back and adopted.
				o.Forget()
				var err error
				if got == host.TypeDirectory {
					err = h.Rmdir(t.Context(), tt.path)
				} else {
					err = h.Remove(t.Context(), tt.path)
				}
				resourcetest.Must(t, err, h.Rename(t.Context(), "/dir/moved", tt.path))
				o.NextRun()
				o.Apply(tt.config)
				resourcetest.NoErrors(t, o.Destroy())
			})
		}
	}
}

// putOther creates an object of a type at a path, and returns a function that checks that the object is unchanged.
func putOther(t *testing.T, h *counted, at string, typ host.FileType) (unchanged func()) {
	t.Helper()
	var err error
	switch typ {
	case host.TypeRegular:
		resourcetest.WriteOn(t, h, at, "theirs")
	case host.TypeDirectory:
		_, err = h.Mkdir(t.Context(), at, host.Attributes{})
	case host.TypeSymlink:
		_, err = h.Symlink(t.Context(), "/target", at)
	default:
		_, err = h.Mkspecial(t.Context(), at, typ)
	}
	resourcetest.Must(t, err)
	theirs, err := h.Lstat(t.Context(), at)
	resourcetest.Must(t, err)
	return func() {
		t.Helper()
		if now, err := h.Lstat(t.Context(), at); err != nil || now != theirs {
			t.Errorf("the object is %+v (%v), want it unchanged: %+v", now, err, theirs)
		}
	}
}

// TestReplacedAfterPlan checks that an update of a mode or target does not change an object of another
// type that another process has put in the place of the managed one after the plan.
func TestReplacedAfterPlan(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	for name, tt := range map[string]struct {
		config, changed resourcetest.Attrs
		want            host.FileType
	}{
		"posix_directory": {resourcetest.Attrs{}, resourcetest.Attrs{"mode": str("0700")}, host.TypeDirectory},
		"posix_file":      {resourcetest.Attrs{"content": str("it")}, resourcetest.Attrs{"content": str("it"), "mode": str("0600")}, host.TypeRegular},
		"posix_symlink":   {resourcetest.Attrs{"target": str("old")}, resourcetest.Attrs{"target": str("new")}, host.TypeSymlink},
	} {
		for _, got := range []host.FileType{host.TypeRegular, host.TypeDirectory, host.TypeSymlink, host.TypeFIFO} {
			if got == tt.want {
				continue
			}
			t.Run(name+" by a "+got.String(), func(t *testing.T) {
				t.Parallel()
				const at = "/dir/it"
				h := newSystem(t)
				o := resourcetest.NewObject(t, resourcetest.NewOn(t, memoryTypes(), h), name)
				config, changed := maps.Clone(tt.config), maps.Clone(tt.changed)
				config["path"], changed["path"] = str(at), str(at)
				o.Apply(config)
				plan := o.Plan(changed)
				resourcetest.NoErrors(t, plan.Diagnostics)
				resourcetest.Must(t, h.Rename(t.Context(), at, "/dir/moved"))
				unchanged := putOther(t, h, at, got)
				resourcetest.WantError(t, o.ApplyPlan(changed, plan), "", at+" on host town is a "+got.String()+", but this resource manages a "+tt.want.String(), "neither followed nor replaced")
				unchanged()
			})
		}
	}
}

// TestOverwriteAnotherType checks that overwrite replaces an object of another type, except
// for a directory that is not empty, and never follows a link.
func TestOverwriteAnotherType(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	source := t.TempDir()
	resourcetest.Write(t, filepath.Join(source, "one"), "1", 0o644)
	overwrite := cty.ObjectVal(resourcetest.Attrs{
		"parents": cty.NullVal(cty.Bool), "overwrite": cty.True, "backup": cty.NullVal(cty.Bool), "validate": cty.NullVal(cty.List(cty.String)), "validate_output": cty.NullVal(cty.Bool),
	})
	for name, config := range map[string]resourcetest.Attrs{
		"posix_file": {"path": str("/dir/it"), "content": str("it"), "write_options": overwrite},
		"posix_tree": {"path": str("/dir/it"), "source": str(source), "overwrite": cty.True},
	} {
		for what, make := range map[string]func(h *counted) error{
			"link": func(h *counted) error { _, err := h.Symlink(t.Context(), "/target", "/dir/it"); return err },
			"pipe": func(h *counted) error { _, err := h.Mkspecial(t.Context(), "/dir/it", host.TypeFIFO); return err },
			"directory": func(h *counted) error {
				_, err := h.Mkdir(t.Context(), "/dir/it", host.Attributes{})
				return err
			},
		} {
			t.Run(name+" over a "+what, func(t *testing.T) {
				t.Parallel()
				h := newSystem(t)
				resourcetest.Must(t, make(h))
				o := resourcetest.NewObject(t, resourcetest.NewOn(t, memoryTypes(), h), name)
				plan := o.Plan(config)
				resourcetest.NoErrors(t, plan.Diagnostics)
				if name == "posix_file" || what != "directory" {
					resourcetest.WantTexts(t, warnings(plan.Diagnostics), "/dir/it on host town is a ", "will be removed")
				}
				resourcetest.NoErrors(t, o.ApplyPlan(config, plan))
				o.NoChange(config)
				if left, err := h.ReadDir(t.Context(), "/target"); err != nil || len(left) > 0 {
					t.Errorf("/target has the entries %v (error %v), want none, because links are not followed", left, err)
				}
			})
		}
	}

	h := newSystem(t)
	_, err := host.MakeParents(t.Context(), h, "/dir/it/theirs/x", host.Attributes{})
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, memoryTypes(), h), "posix_file")
	config := resourcetest.Attrs{"path": str("/dir/it"), "content": str("it"), "write_options": overwrite}
	plan := o.Plan(config)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.WantTexts(t, warnings(plan.Diagnostics), "does not remove a directory that is not empty")
	resourcetest.WantError(t, o.ApplyPlan(config, plan), "", "does not remove a directory that is not empty")
	if _, err := h.Lstat(t.Context(), "/dir/it/theirs"); err != nil {
		t.Error(err)
	}
}

// TestCreatedTwice checks that, of two resources with the same path, the create of the second one fails,
// and that its create in the next run adopts the object.
func TestCreatedTwice(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	h := newSystem(t)
	p := resourcetest.NewOn(t, memoryTypes(), h)
	config := resourcetest.Attrs{"path": str("/dir/it"), "content": str("it")}
	first, second := resourcetest.NewObject(t, p, "posix_file"), resourcetest.NewObject(t, p, "posix_file")
	link := resourcetest.NewObject(t, p, "posix_symlink")
	linked := resourcetest.Attrs{"path": str("/dir/it"), "target": str("x")}
	plan, secondPlan, linkPlan := first.Plan(config), second.Plan(config), link.Plan(linked)
	resourcetest.NoErrors(t, first.ApplyPlan(config, plan))
	resourcetest.WantError(t, second.ApplyPlan(config, secondPlan), "", "/dir/it on host town was already created in this apply", "another posix_file")
	resourcetest.WantError(t, link.ApplyPlan(linked, linkPlan), "", "by a posix_file", "this posix_symlink")
	first.NextRun()
	second.Apply(config) // adopts the file
}

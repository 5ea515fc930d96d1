package service_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/service"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// openRCHost simulates a host with OpenRC and the service web.
type openRCHost struct {
	status string   // exit code of rc-service status
	levels []string // runlevels of the service

	fails     string // command whose next call fails
	unstarted string // command whose next call is not started
	other     string // status that another program sets during the call unstarted; empty for no change
	lost      int    // number of reads that are not started after the call unstarted, or after the first call if unstarted is empty
	reads     int
	calls     []string
}

func (o *openRCHost) run(_ context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	if args[0] == "/bin/sh" {
		o.reads++
		if len(o.calls) > 0 && o.unstarted == "" && o.lost > 0 {
			o.lost--
			return host.Result{}, &host.NotStartedError{Err: host.ErrLost}
		}
		text := "openrc\nExists=yes\nStatus=" + o.status + "\n"
		for _, level := range o.levels {
			text += "Runlevel=" + level + "\n"
		}
		_, err := fmt.Fprint(cmd.Stdout, text)
		return host.Result{}, err
	}
	call := strings.Join(args, " ")
	o.calls = append(o.calls, call)
	if call == o.fails {
		o.fails = ""
		_, err := fmt.Fprintf(cmd.Stderr, "%s: Permission denied\n", args[0])
		return host.Result{ExitCode: 1}, err
	}
	if call == o.unstarted {
		if o.unstarted = ""; o.other != "" {
			o.status = o.other
		}
		return host.Result{}, &host.NotStartedError{Err: host.ErrLost}
	}
	switch {
	case strings.HasPrefix(call, "rc-update add "):
		o.levels = append(o.levels, args[3])
	case strings.HasPrefix(call, "rc-update del "):
		o.levels = slices.DeleteFunc(o.levels, func(level string) bool { return level == args[3] })
	case args[2] == "start", args[2] == "restart":
		o.status = "0"
	case args[2] == "stop":
		o.status = "3"
	}
	return host.Result{}, nil
}

// object returns a posix_service on the host.
func (o *openRCHost) object(t *testing.T) *resourcetest.Object {
	t.Helper()
	h := memory.New(memory.Config{Name: host.LocalName, Run: o.run})
	return resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_service")
}

// called compares the commands since its last call with want.
func (o *openRCHost) called(t *testing.T, what string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, o.calls); diff != "" {
		t.Errorf("commands of %s (-want +got):\n%s", what, diff)
	}
	o.calls = nil
}

// TestReadsOfDestroy checks that a destroy that has nothing to revert reads the state of the service once.
func TestReadsOfDestroy(t *testing.T) {
	t.Parallel()
	h := &openRCHost{status: "3"}
	o := h.object(t)
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("web"), "running": cty.False})
	h.reads = 0
	resourcetest.NoErrors(t, o.DeleteNow())
	if h.reads != 1 {
		t.Errorf("the state was read %d times, want once", h.reads)
	}
}

// systemdFake simulates a host with systemd and a unit.
type systemdFake struct {
	unit, alias string            // names of the unit
	has         map[string]string // properties of the unit
	reloaded    map[string]string // properties that a reload of systemd changes
	calls       []string
}

func (f *systemdFake) run(_ context.Context, cmd host.Command) (host.Result, error) {
	args := remotecmd.Program(cmd)
	switch {
	case remotecmd.IsRootQuery(cmd):
		_, err := fmt.Fprintln(cmd.Stdout, "0")
		return host.Result{}, err
	case args[0] != "/bin/sh":
	case !strings.Contains(args[2], "echo systemd\n"):
		if strings.Contains(args[2], "systemctl daemon-reload") {
			maps.Copy(f.has, f.reloaded)
		}
		return host.Result{}, nil
	default:
		id := args[4]
		if id == f.alias {
			id = f.unit
		}
		text := "systemd\nId=" + id + "\n"
		for name, value := range f.has {
			text += name + "=" + value + "\n"
		}
		_, err := fmt.Fprint(cmd.Stdout, text)
		return host.Result{}, err
	}
	f.calls = append(f.calls, strings.Join(args, " "))
	switch verb := args[1]; verb {
	case "disable":
		if args[len(args)-1] != f.unit {
			_, err := fmt.Fprintln(cmd.Stderr, "Failed to disable unit: Refusing to operate on alias name or linked unit file: "+f.alias)
			return host.Result{ExitCode: 1}, err
		}
		f.has["UnitFileState"] = "disabled"
	case "stop":
		f.has["ActiveState"] = "inactive"
	case "mask":
		f.has["LoadState"], f.has["UnitFileState"] = "masked", "masked"
	case "unmask":
		f.has = map[string]string{"LoadState": "not-found", "ActiveState": "inactive"}
	}
	return host.Result{}, nil
}

// TestDestroyOfAlias checks that a service whose name is an alias of its unit can be destroyed.
func TestDestroyOfAlias(t *testing.T) {
	t.Parallel()
	f := systemdFake{unit: "ssh.service", alias: "sshd.service", has: map[string]string{"LoadState": "loaded", "UnitFileState": "enabled", "ActiveState": "active"}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: f.run})), "posix_service")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("sshd"), "enabled": cty.True, "running": cty.True})
	resourcetest.NoErrors(t, o.Destroy())
	if diff := cmp.Diff([]string{"systemctl disable -- ssh.service", "systemctl stop -- ssh.service"}, f.calls); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestAliasOfManagedUnit checks that the delete of a service whose name is an alias keeps a unit that another resource
// manages, such as the replacement after a correction of the name.
func TestAliasOfManagedUnit(t *testing.T) {
	t.Parallel()
	f := systemdFake{unit: "ssh.service", alias: "sshd.service", has: map[string]string{"LoadState": "loaded", "UnitFileState": "enabled", "ActiveState": "active"}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: f.run})), "posix_service")
	set := resourcetest.Attrs{"name": cty.StringVal("sshd"), "enabled": cty.True, "running": cty.True}
	o.Apply(set)
	o.NextRun()
	replacement := *o
	replacement.Forget()
	set["name"] = cty.StringVal("ssh")
	plan := replacement.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.NoErrors(t, replacement.ApplyPlan(set, plan))
	diags := o.DeleteNow()
	if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, "sshd is an alias of ssh on host local") {
		t.Errorf("diagnostics %v, want one warning that names the unit", diags)
	}
	if len(f.calls) > 0 {
		t.Errorf("the commands are %q, want none", f.calls)
	}
}

// TestUnmaskMissingUnit checks that a masked unit that is not installed can be adopted and unmasked.
func TestUnmaskMissingUnit(t *testing.T) {
	t.Parallel()
	f := systemdFake{has: map[string]string{"LoadState": "masked", "UnitFileState": "masked", "ActiveState": "inactive"}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: f.run})), "posix_service")
	set := resourcetest.Attrs{"name": cty.StringVal("nginx"), "masked": cty.True}
	o.Apply(set)
	set["masked"] = cty.False
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
	if o.Attr("masked").True() {
		t.Error("the state has masked = true, want false")
	}
}

// TestMaskUntilBoot checks that a unit that is masked only until the next boot is masked permanently, and that a later
// change back to such a mask is drift.
func TestMaskUntilBoot(t *testing.T) {
	t.Parallel()
	f := systemdFake{has: map[string]string{"LoadState": "masked", "UnitFileState": "masked-runtime", "ActiveState": "inactive"}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: f.run})), "posix_service")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("nginx"), "masked": cty.True})
	if diff := cmp.Diff([]string{"systemctl mask -- nginx.service"}, f.calls); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if !o.Attr("masked").True() {
		t.Errorf("the state has masked = %#v, want true", o.Attr("masked"))
	}
	f.has["UnitFileState"] = "masked-runtime"
	for range 2 { // the second refresh starts with the result of the first
		o.Refresh()
		if !o.Attr("masked").IsNull() {
			t.Errorf("after the change by hand, masked is %#v in the state, want null", o.Attr("masked"))
		}
	}
}

// TestRestartingService checks that a service that systemd restarts repeatedly counts as drift in every plan, even if
// the state has the result of an earlier refresh, and that a destroy stops it.
func TestRestartingService(t *testing.T) {
	t.Parallel()
	f := systemdFake{has: map[string]string{"LoadState": "loaded", "ActiveState": "active"}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: host.LocalName, Run: f.run})), "posix_service")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("web"), "running": cty.True})
	f.has["ActiveState"], f.has["SubState"] = "activating", "auto-restart"
	for range 2 { // the second refresh starts with the result of the first
		o.Refresh()
		if !o.Attr("running").IsNull() {
			t.Errorf("running is %#v in the state, want null", o.Attr("running"))
		}
	}
	f.has["ActiveState"] = "active" // the service has recovered
	resourcetest.NoErrors(t, o.Destroy())
	if diff := cmp.Diff([]string{"systemctl stop -- web.service"}, f.calls); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestPlannedUnit checks that the plan of a service does not fail because of a packaged unit file that the
// same apply overrides.
func TestPlannedUnit(t *testing.T) {
	t.Parallel()
	for service, unit := range map[string]string{"vendor": "vendor.service", "vendor@one": "vendor@.service"} {
		f := systemdFake{has: map[string]string{"LoadState": "loaded", "UnitFileState": "static", "FragmentPath": "/usr/lib/systemd/system/" + unit}}
		h := memory.New(memory.Config{Name: host.LocalName, Run: f.run})
		_, err := host.MakeParents(t.Context(), h, "/etc/systemd/system/x", host.Attributes{})
		resourcetest.Must(t, err)
		p := resourcetest.NewOn(t, types, h)
		o := resourcetest.NewObject(t, p, "posix_service")
		set := resourcetest.Attrs{"name": cty.StringVal(service), "enabled": cty.True}
		resourcetest.WantError(t, o.Plan(set).Diagnostics, "enabled", "has no [Install] section")
		resourcetest.NoErrors(t, resourcetest.NewObject(t, p, "posix_systemd_unit").Plan(resourcetest.Attrs{
			"name": cty.StringVal(unit), "drop_in": cty.StringVal("install"), "content": cty.StringVal("[Install]\nWantedBy=multi-user.target\n"),
		}).Diagnostics)
		diags := o.Plan(set).Diagnostics
		resourcetest.NoErrors(t, diags)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, "This is expected if the same apply changes the unit") {
			t.Errorf("the diagnostics of the service %s are %v, want one warning with \"This is expected\"", service, diags)
		}
	}
}

// TestPlannedRestart checks that the plan of an action does not fail because of a service that the same apply may
// unmask or change, or whose changed unit file the action reloads.
func TestPlannedRestart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path, file string
		planned    bool   // whether the configuration has a file of the unit
		outdated   string // NeedDaemonReload of the unit
		want       string
	}{
		"of a package": {path: "/usr/lib/systemd/system/", want: "has no ExecReload="},
		"overridden":   {path: "/usr/lib/systemd/system/", planned: true},
		"local":        {path: "/etc/systemd/system/"},
		"changed":      {path: "/usr/lib/systemd/system/", outdated: "yes"},
		"masked":       {path: "/usr/lib/systemd/system/", file: "masked"},
	} {
		f := systemdFake{has: map[string]string{
			"LoadState": "loaded", "ActiveState": "active", "UnitFileState": tt.file, "FragmentPath": tt.path + "app.service", "CanReload": "no", "NeedDaemonReload": tt.outdated,
		}}
		hosts, err := lifecycle.NewHosts(memory.New(memory.Config{Name: host.LocalName, Run: f.run}))
		resourcetest.Must(t, err)
		scope, err := hosts.Scope(nil)
		resourcetest.Must(t, err)
		if tt.planned {
			scope.PlanUnit("app.service")
		}
		err = (&service.Restart{Names: []service.Name{"app"}, Mode: "reload"}).PlanAction(t.Context(), hosts)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tt.want)
		}
	}
}

// TestRestartOfChangedUnit checks that the action reloads systemd before it checks whether the service can reload.
func TestRestartOfChangedUnit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reloaded map[string]string
		want     string // error; empty if the service is reloaded
	}{
		"can reload":    {reloaded: map[string]string{"NeedDaemonReload": "no", "CanReload": "yes"}},
		"cannot reload": {reloaded: map[string]string{"NeedDaemonReload": "no"}, want: "has no ExecReload="},
		"removed":       {reloaded: map[string]string{"NeedDaemonReload": "no", "LoadState": "not-found"}, want: "has no service app"},
	} {
		f := systemdFake{reloaded: tt.reloaded, has: map[string]string{
			"LoadState": "loaded", "ActiveState": "active", "NeedDaemonReload": "yes", "CanReload": "no",
		}}
		hosts, err := lifecycle.NewHosts(memory.New(memory.Config{Name: host.LocalName, Run: f.run}))
		resourcetest.Must(t, err)
		err = (&service.Restart{Names: []service.Name{"app"}, Mode: "reload"}).Invoke(t.Context(), hosts, func(string) {})
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tt.want)
		}
		var want []string
		if tt.want == "" {
			want = []string{"systemctl reload -- app.service"}
		}
		if diff := cmp.Diff(want, f.calls); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", name, diff)
		}
	}
}

// TestPlannedRestartWithoutHost checks that the plan of an action does not fail because of a host that the same apply
// may start, or on which it may allow sudo.
func TestPlannedRestartWithoutHost(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{
		"not reachable":    host.ErrUnreachable,
		"sudo not allowed": errors.Join(host.ErrRefused, host.ErrNotElevated),
	} {
		hosts, err := lifecycle.NewHosts(memory.New(memory.Config{
			Name: host.LocalName,
			Run: func(context.Context, host.Command) (host.Result, error) {
				return host.Result{}, &host.NotStartedError{Err: cause}
			},
		}))
		resourcetest.Must(t, err)
		if err := (&service.Restart{Names: []service.Name{"app"}, Mode: "restart"}).PlanAction(t.Context(), hosts); err != nil {
			t.Errorf("%s: the error of the plan is %v, want none", name, err)
		}
	}
}

// TestDropInsReplaced checks that a drop-in can be created while the only other drop-in of its unit is being deleted.
func TestDropInsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const dir = "/etc/systemd/system/app.service.d/"
		var deleted chan error
		var last *resourcetest.Object
		h := memory.New(memory.Config{Name: host.LocalName, Run: (&systemdFake{}).run, Fault: func(op, path string) error {
			if last != nil && op == "WriteFile" && path == dir+"new.conf" {
				o := last
				last = nil
				go func() { deleted <- o.DeleteNow().Err() }()
				synctest.Wait() // until the delete ends or waits
			}
			return nil
		}})
		_, err := host.MakeParents(t.Context(), h, "/etc/systemd/system/x", host.Attributes{})
		resourcetest.Must(t, err)
		p := resourcetest.NewOn(t, types, h)
		dropIn := func(name string) (*resourcetest.Object, resourcetest.Attrs) {
			return resourcetest.NewObject(t, p, "posix_systemd_unit"), resourcetest.Attrs{
				"name": cty.StringVal("app.service"), "drop_in": cty.StringVal(name), "content": cty.StringVal("[Service]\nNice=1\n"),
			}
		}
		old, set := dropIn("old")
		old.Apply(set)
		old.NextRun()
		created, set := dropIn("new")
		plan := created.Plan(set)
		resourcetest.NoErrors(t, plan.Diagnostics)
		deleted, last = make(chan error, 1), old
		resourcetest.NoErrors(t, created.ApplyPlan(set, plan))
		resourcetest.Must(t, <-deleted)
		if _, err := h.Lstat(t.Context(), dir+"new.conf"); err != nil {
			t.Error(err)
		}
	})
}

// TestInterruptedUnitDelete checks that a delete of a drop-in that is interrupted when it has removed the file still removes
// the directory and reloads systemd: the next refresh does not find the drop-in, so no later delete would do that.
func TestInterruptedUnitDelete(t *testing.T) {
	t.Parallel()
	const dir = "/etc/systemd/system/app.service.d"
	reloaded, interrupt := false, func() {}
	h := memory.New(memory.Config{
		Name: host.LocalName,
		Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
			args := remotecmd.Program(cmd)
			reloaded = reloaded || len(args) > 2 && strings.Contains(args[2], "systemctl daemon-reload")
			return new(systemdFake).run(ctx, cmd)
		},
		Lost: func(op, path string) error {
			if op == "Remove" && path == dir+"/old.conf" {
				interrupt()
			}
			return nil
		},
	})
	_, err := host.MakeParents(t.Context(), h, dir, host.Attributes{})
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_systemd_unit")
	o.Apply(resourcetest.Attrs{
		"name": cty.StringVal("app.service"), "drop_in": cty.StringVal("old"), "content": cty.StringVal("[Service]\nNice=1\n"),
	})
	reloaded, interrupt = false, func() { resourcetest.Must(t, o.Provider.Stop(t.Context())) }
	resourcetest.NoErrors(t, o.Destroy())
	if !reloaded {
		t.Error("systemd was not reloaded after the interrupted destroy, want a reload")
	}
	if _, err := h.Lstat(t.Context(), dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the directory: %v, want an error about a missing directory", err)
	}
}

// TestFailedCreate checks that a service is in the state after a create that failed if the create has
// changed it, and only then: the next apply replaces a service that is in the state, and stops it first.
func TestFailedCreate(t *testing.T) {
	t.Parallel()
	const add, start = "rc-update add web default", "rc-service web start"
	set := resourcetest.Attrs{"name": cty.StringVal("web"), "enabled": cty.True, "running": cty.True}
	for name, tt := range map[string]struct {
		host    openRCHost
		inState bool
		next    []string // commands of the next apply
	}{
		"nothing changed":          {host: openRCHost{status: "0", fails: add}, next: []string{add}},
		"enabled":                  {host: openRCHost{status: "3", fails: start}, inState: true, next: []string{"rc-update del web default", add, start}},
		"started by another":       {host: openRCHost{status: "3", unstarted: add, other: "0"}, next: []string{add}},
		"connection lost":          {host: openRCHost{status: "0", unstarted: add, lost: 1}, next: []string{add}},
		"enabled, then lost":       {host: openRCHost{status: "3", unstarted: start, lost: 2}, inState: true, next: []string{"rc-update del web default", add, start}},
		"enabled, connection lost": {host: openRCHost{status: "0", lost: 2}, inState: true, next: []string{"rc-update del web default", "rc-service web stop", add, start}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tt.host.object(t)
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "")
			if got := !o.State.IsNull(); got != tt.inState {
				t.Errorf("the service is in the state: %t, want %t", got, tt.inState)
			}
			tt.host.calls = nil
			o.Apply(set)
			tt.host.called(t, "the next apply", tt.next...)
		})
	}
}

// TestCommandFaults injects the faults of [resourcetest.CommandFaults] at each command for a service.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	set := func(running cty.Value) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("web"), "enabled": cty.True, "running": running}
	}
	resourcetest.CommandFaults{
		Types: func() runtime.Definition {
			return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"service": service.Resource()}}
		},
		TypeName: "posix_service", Create: set(cty.True), Changed: set(cty.False), Waits: true,
		Host: func(*testing.T) (memory.Config, func() string) {
			h := &openRCHost{status: "3"}
			return memory.Config{Name: "town", Run: h.run}, func() string { return fmt.Sprint(h.status, h.levels) }
		},
	}.Run(t)
}

// TestTriggersOfStartingService checks that a changed trigger has its effect on a service that is just
// starting, since it may have read its files before they were changed.
func TestTriggersOfStartingService(t *testing.T) {
	t.Parallel()
	h := openRCHost{status: "8"}
	o := h.object(t)
	set := func(trigger string) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("web"), "running": cty.True, "triggers": cty.MapVal(map[string]cty.Value{"a": cty.StringVal(trigger)})}
	}
	o.Apply(set("1"))
	h.called(t, "a create", "rc-service web start", "rc-service web restart")
	h.status = "8"
	o.Apply(set("2"))
	h.called(t, "an update", "rc-service web start", "rc-service web restart")
	h.status = "3"
	o.Apply(set("3"))
	h.called(t, "an update of a stopped service", "rc-service web start")
}

// TestFailedRestart checks that the error of a restart that leaves the service stopped explains how to start it,
// unless the next apply starts it.
func TestFailedRestart(t *testing.T) {
	t.Parallel()
	const restart, remedy = "rc-service web restart", "no apply starts it while running is unset"
	for name, running := range map[string]cty.Value{"running is unset": cty.NullVal(cty.Bool), "running is set": cty.True} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := openRCHost{status: "0"}
			h := memory.New(memory.Config{Name: host.LocalName, Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
				r, err := fake.run(ctx, cmd)
				if r.ExitCode != 0 {
					fake.status = "3"
				}
				return r, err
			}})
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_service")
			set := resourcetest.Attrs{"name": cty.StringVal("web"), "running": running, "triggers": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1")})}
			o.Apply(set)
			fake.calls, fake.fails = nil, restart
			set["triggers"] = cty.MapVal(map[string]cty.Value{"a": cty.StringVal("2")})
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			diags := o.ApplyPlan(set, plan)
			resourcetest.WantError(t, diags, "", "does not restart", "Permission denied")
			if got := strings.Contains(fmt.Sprint(diags), remedy); got != running.IsNull() {
				t.Errorf("the error contains %q: %t, want %t: %v", remedy, got, running.IsNull(), diags)
			}
			fake.calls = nil
			o.Apply(set)
			var want []string
			if !running.IsNull() {
				want = []string{"rc-service web start"}
			}
			fake.called(t, "the next apply", want...)
		})
	}
}

// TestRunlevelChanged checks that a change of the runlevel disables the service in the previous runlevel.
func TestRunlevelChanged(t *testing.T) {
	t.Parallel()
	h := openRCHost{status: "3"}
	o := h.object(t)
	set := func(enabled cty.Value, runlevel string) resourcetest.Attrs {
		attrs := resourcetest.Attrs{"name": cty.StringVal("web"), "enabled": enabled}
		if runlevel != "" {
			attrs["runlevel"] = cty.StringVal(runlevel)
		}
		return attrs
	}
	o.Apply(set(cty.True, ""))
	h.called(t, "a create", "rc-update add web default")
	o.Apply(set(cty.True, "boot"))
	h.called(t, "a first runlevel", "rc-update add web boot", "rc-update del web default")
	o.Apply(set(cty.False, "sysinit"))
	h.called(t, "a change that also disables", "rc-update del web boot")
}

// TestRunlevelNotChanged checks that a failed change of the runlevel never leaves the service without
// a runlevel, and that the next apply completes the change.
func TestRunlevelNotChanged(t *testing.T) {
	t.Parallel()
	const add, del, start = "rc-update add web boot", "rc-update del web default", "rc-service web start"
	for name, tt := range map[string]struct {
		fails       string
		calls, next []string
	}{
		"no such runlevel": {add, []string{add}, []string{add, start, del}},
		"not started":      {start, []string{add, start}, []string{start, del}},
		"not removed":      {del, []string{add, start, del}, []string{del}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openRCHost{status: "3"}
			o := h.object(t)
			set := resourcetest.Attrs{"name": cty.StringVal("web"), "enabled": cty.True}
			o.Apply(set)
			h.calls, h.fails = nil, tt.fails
			set["runlevel"], set["running"] = cty.StringVal("boot"), cty.True
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "Permission denied")
			h.called(t, "the change", tt.calls...)
			o.Apply(set)
			h.called(t, "the next apply", tt.next...)
			if want := []string{"boot"}; !slices.Equal(h.levels, want) {
				t.Errorf("the runlevels are %q, want %q", h.levels, want)
			}
		})
	}
}

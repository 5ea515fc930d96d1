package resources_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

func str(s string) cty.Value { return cty.StringVal(s) }

// minimalArguments are sufficient arguments for each resource type, without the host.
var minimalArguments = map[string]resourcetest.Attrs{
	"posix_authorized_key":     {"user": str("root"), "key": str("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfWjSXeT8tbbSYVXcGZrXi9KyyHh0k5pFYfjvEVIWGm")},
	"posix_command":            {"create": str("true"), "read": str("true"), "delete": str("true")},
	"posix_cron":               {"name": str("a"), "schedule": str("@daily"), "user": str("root"), "command": str("true")},
	"posix_directory":          {"path": str("/a")},
	"posix_file":               {"path": str("/a"), "content": str("x")},
	"posix_file_block":         {"path": str("/a"), "name": str("a"), "content": str("x")},
	"posix_group":              {"name": str("a")},
	"posix_hostname":           {"name": str("a")},
	"posix_mount":              {"path": str("/mnt"), "source": str("/dev/sdb1"), "type": str("ext4")},
	"posix_package":            {"name": str("a"), "manager": str("apt")},
	"posix_package_repository": {"name": str("a"), "manager": str("dnf"), "uris": cty.ListVal([]cty.Value{str("https://packages.example.com")}), "trusted": cty.True},
	"posix_service":            {"name": str("a"), "running": cty.True},
	"posix_sudoers":            {"name": str("a"), "content": str("")},
	"posix_symlink":            {"path": str("/a"), "target": str("/b")},
	"posix_sysctl":             {"key": str("a.b"), "value": str("1")},
	"posix_systemd_unit":       {"name": str("a.service"), "content": str("[Unit]\n")},
	"posix_tree":               {"path": str("/a"), "source": str("testdata")},
	"posix_user":               {"name": str("a")},
}

// changedArguments are arguments that update the object in place if they extend or replace the minimal ones.
var changedArguments = map[string]resourcetest.Attrs{
	"posix_authorized_key":     {"options": cty.ListVal([]cty.Value{str("restrict")})},
	"posix_command":            {"update": str("true")},
	"posix_cron":               {"command": str("false")},
	"posix_directory":          {"mode": str("0700")},
	"posix_file":               {"content": str("y")},
	"posix_file_block":         {"content": str("y")},
	"posix_group":              {"members": cty.SetVal([]cty.Value{str("root")})},
	"posix_hostname":           {"name": str("b")},
	"posix_mount":              {"options": cty.ListVal([]cty.Value{str("ro")})},
	"posix_package":            {"hold": cty.True},
	"posix_package_repository": {"enabled": cty.False},
	"posix_service":            {"enabled": cty.True},
	"posix_sudoers":            {"content": str("root ALL=(ALL) ALL\n")},
	"posix_symlink":            {"target": str("/c")},
	"posix_sysctl":             {"value": str("2")},
	"posix_systemd_unit":       {"content": str("[Unit]\nDescription=b\n")},
	"posix_tree":               {"file_mode": str("0600")},
	"posix_user":               {"comment": str("b")},
}

// reports are the outputs of posix_tree about the changes of a plan. They are null in the state with which a run
// starts.
var reports = []string{"added", "changed", "removed", "changes"}

// stateOf returns an object of a type as if it had been created: its planned state, in which
// reports are null and the unknown values are 1, false, empty or null.
func stateOf(t *testing.T, o *resourcetest.Object, set resourcetest.Attrs) cty.Value {
	t.Helper()
	plan := o.PlanFrom(o.Null(), o.Config(set), nil)
	resourcetest.NoErrors(t, plan.Diagnostics)
	state, err := cty.Transform(plan.PlannedState, func(path cty.Path, v cty.Value) (cty.Value, error) {
		switch {
		case len(path) == 1 && slices.ContainsFunc(reports, func(name string) bool { return path.Equals(cty.GetAttrPath(name)) }):
			return cty.NullVal(v.Type()), nil
		case v.IsKnown():
			return v, nil
		case path.Equals(cty.GetAttrPath("record")): // record of posix_tree, for an empty directory
			return str(""), nil
		case v.Type() == cty.String:
			return str("1"), nil
		case v.Type() == cty.Number:
			return cty.NumberIntVal(1), nil
		case v.Type() == cty.Bool:
			return cty.False, nil
		}
		return cty.NullVal(v.Type()), nil
	})
	resourcetest.Must(t, err)
	return state
}

// TestSkippedHost checks for every resource type that an object on a host that cannot be
// reached keeps its state, with one warning, if the host is skipped, and that a plan without a
// change is possible and does not try to connect again.
func TestSkippedHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{"web": true}}
	f := resourcetest.NewFleet(t, func() (provider.Interface, error) { return resources.BuildFleet(m.Hosts(t)) },
		resourcetest.Attrs{"on_unreachable": str("skip")}, map[string]resourcetest.Attrs{"web": {}})
	types := f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes
	for _, typeName := range slices.Sorted(maps.Keys(types)) {
		set := maps.Clone(minimalArguments[typeName])
		if set == nil {
			t.Errorf("minimalArguments has no arguments for %s", typeName)
			continue
		}
		set["host"] = str("web")
		o := resourcetest.NewObject(t, f, typeName)
		state := stateOf(t, o, set)
		o.NextRun()
		o.State = state
		diags := o.Read()
		if len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags[0].Detail, "on_unreachable") || !o.State.RawEquals(state) {
			t.Errorf("%s: the read has %v and returns %#v, want one warning about on_unreachable, and %#v", typeName, diags, o.State, state)
			continue
		}
		m.Asked = 0
		if plan := o.Plan(set); plan.Diagnostics.HasErrors() || len(plan.RequiresReplace) > 0 {
			t.Errorf("%s: the plan has %v, and replaces the object because of %v, want no errors and no replacement", typeName, plan.Diagnostics, plan.RequiresReplace)
		}
		if diags := o.Read(); len(diags) > 0 {
			t.Errorf("%s: the second read has %v, want no diagnostics", typeName, diags)
		}
		if m.Asked > 0 {
			t.Errorf("%s: the host was checked again %d times, want 0", typeName, m.Asked)
		}
	}
}

// TestUnreachableHost checks for every resource type that a create, an update and a destroy on a host
// that cannot be reached fail with an error that names the host, and that the state is kept. A read
// fails if the host is not skipped. The destroy of posix_hostname is not tested.
func TestUnreachableHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{"web": true}}
	fleet := func(policy string) *resourcetest.Fleet {
		return resourcetest.NewFleet(t, func() (provider.Interface, error) { return resources.BuildFleet(m.Hosts(t)) },
			resourcetest.Attrs{"on_unreachable": str(policy)}, map[string]resourcetest.Attrs{"web": {}})
	}
	skipping := fleet("skip")
	for policy, f := range map[string]*resourcetest.Fleet{"error": fleet("error"), "skip": skipping} {
		for typeName := range f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes {
			set, changed := maps.Clone(minimalArguments[typeName]), maps.Clone(minimalArguments[typeName])
			set["host"], changed["host"] = str("web"), str("web")
			maps.Copy(changed, changedArguments[typeName])
			state := stateOf(t, resourcetest.NewObject(t, skipping, typeName), set)
			o := resourcetest.NewObject(t, f, typeName)
			fails := func(step string, diags diag.Diagnostics) {
				t.Helper()
				if text := diags.Error(); !diags.HasErrors() || !strings.Contains(text, "web") || !strings.Contains(text, "not reachable") {
					t.Errorf("%s, %s: the %s has %v, want the error of the unreachable host web", policy, typeName, step, diags)
				}
			}
			apply := func(set resourcetest.Attrs) diag.Diagnostics {
				plan := o.Plan(set)
				if plan.Diagnostics.HasErrors() {
					return plan.Diagnostics
				}
				return o.ApplyPlan(set, plan)
			}
			fails("create", apply(set))
			if !o.State.IsNull() {
				t.Errorf("%s, %s: the create returned %#v, want null", policy, typeName, o.State)
			}
			o.NextRun()
			o.State, o.Tainted = state, false
			if policy == "error" {
				fails("read", o.Read())
			}
			fails("update", apply(changed))
			if typeName != "posix_hostname" { // its destroy does nothing on the host
				fails("destroy", o.Destroy())
			}
			if !o.State.RawEquals(state) {
				t.Errorf("%s, %s: the state is %#v, want %#v", policy, typeName, o.State, state)
			}
		}
	}
}

// TestRenamedHost checks for every resource type that the plan of an object on a renamed host
// keeps the attribute host and does not replace the object, whether the configuration has the new or the former
// name. A change to another host replaces the object or is an error.
func TestRenamedHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{"new": true}}
	f := resourcetest.NewFleet(t, func() (provider.Interface, error) { return resources.BuildFleet(m.Hosts(t)) }, nil,
		map[string]resourcetest.Attrs{"new": {"formerly": cty.ListVal([]cty.Value{str("old")})}})
	for typeName, minimal := range minimalArguments {
		set := maps.Clone(minimal)
		set["host"] = str("new")
		o := resourcetest.NewObject(t, f, typeName)
		state := stateOf(t, o, set).AsValueMap()
		o.NextRun()
		o.State = cty.ObjectVal(state)
		want := o.Plan(set) // the outputs that stateOf has set may be drift
		for _, was := range []string{"old", "new"} {
			state["host"] = str(was)
			o.State = cty.ObjectVal(state)
			for _, is := range []string{"new", "old"} {
				set["host"] = str(is)
				plan := o.Plan(set)
				if len(plan.Diagnostics) != len(want.Diagnostics) || len(plan.RequiresReplace) > 0 || !plan.PlannedState.GetAttr("host").RawEquals(str(was)) {
					t.Errorf("%s from %s to %s: the plan has %v, replaces the object because of %v, and is on host %#v, want as many diagnostics as %v, no replacement, and host %q", typeName, was, is,
						plan.Diagnostics, plan.RequiresReplace, plan.PlannedState.GetAttr("host"), want.Diagnostics, was)
				}
			}
		}
		set["host"] = str("root@192.0.2.7:22")
		if plan := o.Plan(set); len(plan.RequiresReplace) == 0 && !plan.Diagnostics.HasErrors() {
			t.Errorf("%s: the plan of a change to another host has no replacement and no error, want one of them", typeName)
		}
	}
}

// TestDataOnSkippedHost checks that a data source finds a host by its former name, and that its
// attribute host keeps that name. If the host cannot be reached, the read fails even if on_unreachable
// is skip, because there is no last known value.
func TestDataOnSkippedHost(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{"new": true}}
	f := resourcetest.NewFleet(t, func() (provider.Interface, error) { return resources.BuildFleet(m.Hosts(t)) },
		resourcetest.Attrs{"on_unreachable": str("skip")}, map[string]resourcetest.Attrs{"new": {"formerly": cty.ListVal([]cty.Value{str("old")})}})
	file := resourcetest.NewData(t, f, "posix_file")
	set := resourcetest.Attrs{"host": str("old"), "path": str("/x"), "must_exist": cty.False}
	resourcetest.WantError(t, file.Read(set), "", "new:/x", "not reachable")
	m.Down["new"] = false
	resourcetest.NoErrors(t, file.Read(set))
	if got := file.Result.GetAttr("host"); !got.RawEquals(str("old")) {
		t.Errorf("the file is on host %#v, want the configured name old", got)
	}
}

package hosts_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// newFleet returns a provider that manages these hosts in memory.
func newFleet(t *testing.T, m *resourcetest.RemoteHosts, all attrs, named map[string]attrs) *resourcetest.Fleet {
	t.Helper()
	return resourcetest.NewFleet(t, resourcetest.ProviderOf(types, m.Hosts(t)), all, named)
}

func TestHostsOfResources(t *testing.T) {
	t.Parallel()
	f := newFleet(t, &resourcetest.RemoteHosts{}, attrs{"default_host": str("web")}, map[string]attrs{
		"web": {"address": str("192.0.2.1")}, "db": {"proxy_jump": cty.ListVal([]cty.Value{str("web")})},
	})
	for _, typeName := range []string{"posix_file", "posix_directory", "posix_symlink"} {
		for _, name := range []string{"", "web", "db", "local", "root@[::1]:2222", "web.example.com:22"} {
			o := resourcetest.NewObject(t, f, typeName)
			set := attrs{"path": str("/" + typeName + strings.NewReplacer("@", "-", "[", "", "]", "", ":", "-").Replace(name))}
			switch typeName {
			case "posix_file":
				set["content"] = str("x\n")
			case "posix_symlink":
				set["target"] = str("/x")
			}
			want := name
			if name != "" {
				set["host"] = str(name)
			} else {
				want = "web"
			}
			o.Apply(set)
			o.WantAttrs(attrs{"host": str(want)})
			path := set["path"].AsString()
			o.Forget()
			if diags := o.Import(want+":"+path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			o.NoChange(set)
			o.Forget()
			if diags := o.Import("", cty.ObjectVal(attrs{"host": str(want), "path": str(path)})); diags.HasErrors() {
				t.Fatal(diags)
			}
			o.NoChange(set)
			if diags := o.Destroy(); diags.HasErrors() {
				t.Fatal(diags)
			}
		}
		o := resourcetest.NewObject(t, f, typeName)
		set := attrs{"path": str("/x")}
		switch typeName {
		case "posix_file":
			set["content"] = str("x\n")
		case "posix_symlink":
			set["target"] = str("/x")
		}
		for name, want := range map[string]string{
			"wbe": "The provider has: db, web, local", "root@": "empty", "a b": "not a valid host name or address", "-oProxyCommand=x": "not a valid host name or address", "::1": "brackets", "web:99999": "1 to 65535", "": "empty",
		} {
			set["host"] = str(name)
			plan := o.Plan(set)
			resourcetest.WantError(t, plan.Diagnostics, "host", want)
			if name != "wbe" { // validation also rejects an invalid name
				resourcetest.WantError(t, o.Validate(set), "host", want)
			}
		}
	}
	if diags := newFile(t).Import("a b:/x", cty.NilVal); !diags.HasErrors() {
		t.Error("an import ID with an invalid host is accepted")
	}
}

// TestHostWithUnknownAddress checks that creates can be planned on a host whose address is unknown because
// the host is created in the same apply.
func TestHostWithUnknownAddress(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	m := &resourcetest.RemoteHosts{}
	f := newFleet(t, m, nil, map[string]attrs{"new": {"address": unknown}, "old": {}})
	for typeName, set := range map[string]attrs{
		"posix_file":      {"content": str("x\n"), "owner": str("www-data"), "mode": str("0600")},
		"posix_directory": {"owner": str("www-data"), "group": str("root")},
		"posix_symlink":   {"target": str("/x")},
	} {
		o := resourcetest.NewObject(t, f, typeName)
		set["host"], set["path"] = str("new"), str("/"+typeName)
		f.Set(nil, map[string]attrs{"new": {"address": unknown}})
		o.NextRun()
		plan := o.Plan(set)
		if len(plan.Diagnostics) > 0 || plan.Deferred != nil {
			t.Fatalf("%s: the plan has %v and is deferred as %v, want neither diagnostics nor a deferral", typeName, plan.Diagnostics, plan.Deferred)
		}
		if got := plan.PlannedState.GetAttr("host"); !got.RawEquals(str("new")) {
			t.Errorf("%s: planned on host %#v, want new", typeName, got)
		}
		// The address is known during the apply.
		f.Set(nil, map[string]attrs{"new": {"address": str("192.0.2.9")}})
		o.NextRun()
		if diags := o.ApplyPlan(set, plan); diags.HasErrors() {
			t.Fatal(diags)
		}
		o.NoChange(set)

		// If the host is planned to be replaced, objects on it cannot be read.
		f.Set(attrs{"private_key": unknown}, map[string]attrs{"new": {"address": unknown}})
		o.NextRun()
		resourcetest.WantError(t, o.Read(), "", "host cannot be reached yet", `hosts["new"].address, private_key`, "-target", "new")
		resp := f.ReadResource(t.Context(), provider.ReadResourceRequest{
			TypeName: typeName, PriorState: o.State, Private: o.Private, CurrentIdentity: o.Identity,
			ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: true},
		})
		if resp.Deferred == nil || resp.Deferred.Reason != provider.DeferredReasonProviderConfigUnknown || resp.Diagnostics.HasErrors() {
			t.Errorf("%s: the read is deferred as %v and has %v, want a deferral for the unknown configuration, without errors", typeName, resp.Deferred, resp.Diagnostics)
		}
		// Without a refresh, a change can still be planned.
		if typeName != "posix_symlink" {
			set["mode"] = str("0700")
		} else {
			set["target"] = str("/y")
		}
		if plan := o.Plan(set); len(plan.Diagnostics) > 0 {
			t.Errorf("%s: the plan of a change has %v, want no diagnostics", typeName, plan.Diagnostics)
		}
		resourcetest.WantError(t, o.Import("new:/other", cty.NilVal), "", "host cannot be reached yet")
	}
	o := resourcetest.NewObject(t, f, "posix_command")
	if plan := o.Plan(attrs{"host": str("new"), "create": str("true"), "delete": str("true")}); len(plan.Diagnostics) > 0 {
		t.Errorf("the plan of posix_command has %v, want no diagnostics", plan.Diagnostics)
	}
	// The whole map of hosts is unknown.
	f.Set(attrs{"hosts": cty.UnknownVal(f.Body.Attributes["hosts"].NestedType.ImpliedType())}, nil)
	o = resourcetest.NewObject(t, f, "posix_file")
	o.NextRun()
	set := attrs{"host": str("any"), "path": str("/x"), "content": str("x"), "owner": str("www-data")}
	if plan := o.Plan(set); len(plan.Diagnostics) > 0 {
		t.Error(plan.Diagnostics)
	}
	set["host"] = str("local")
	resourcetest.WantError(t, o.Plan(set).Diagnostics, "owner", "no user")
}

// TestUnreachableHost checks that creates can be planned on a host that does not run yet,
// with one warning that it cannot be reached.
func TestUnreachableHost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typeName string
		set      attrs
	}{
		"file":                 {"posix_file", attrs{"content": str("x\n")}},
		"file with owner":      {"posix_file", attrs{"content": str("x\n"), "owner": str("www-data")}},
		"directory":            {"posix_directory", attrs{}},
		"directory with owner": {"posix_directory", attrs{"owner": str("www-data")}},
		"symlink":              {"posix_symlink", attrs{"target": str("/x")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &resourcetest.RemoteHosts{Down: map[string]bool{"new": true}}
			f := newFleet(t, m, nil, map[string]attrs{"new": {}})
			o := resourcetest.NewObject(t, f, tt.typeName)
			set := maps.Clone(tt.set)
			set["host"], set["path"] = str("new"), str("/x")
			plan := o.Plan(set)
			if len(plan.Diagnostics) != 1 || plan.Diagnostics[0].Severity != diag.Warning || !strings.Contains(plan.Diagnostics[0].Detail, "host new") {
				t.Fatalf("the plan has %v, want one warning about host new", plan.Diagnostics)
			}
			m.Asked = 0
			set["path"] = str("/y")
			if plan = o.Plan(set); len(plan.Diagnostics) > 0 || m.Asked > 0 {
				t.Errorf("the second plan checks the host %d times: %v, want no check and no diagnostics", m.Asked, plan.Diagnostics)
			}
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "not reachable", "new")
			// Existing objects have to be read.
			m.Down["new"] = false
			o.Forget()
			o.Apply(set)
			m.Down["new"] = true
			resourcetest.WantError(t, o.Read(), "", "not reachable", "new")
			if tt.typeName != "posix_symlink" { // posix_symlink has no group
				set["group"] = str("33")
				resourcetest.WantError(t, o.Plan(set).Diagnostics, "", "not reachable", "new")
			}
		})
	}
}

// TestOneCheckPerCreate checks that the plan of a create does not check the host after the run has
// created an object: during an apply, Terraform plans each create again, and checks are expensive on
// a slow connection.
func TestOneCheckPerCreate(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{}}
	f := newFleet(t, m, nil, map[string]attrs{"web": {}})
	at := func(path string) attrs { return attrs{"host": str("web"), "path": str(path), "content": str("x")} }
	one, two := resourcetest.NewObject(t, f, "posix_file"), resourcetest.NewObject(t, f, "posix_file")
	if diags := one.ApplyPlan(at("/one"), one.Plan(at("/one"))); len(diags) > 0 {
		t.Fatal(diags)
	}
	m.Down["web"] = true
	plan := two.Plan(at("/two"))
	if len(plan.Diagnostics) > 0 || m.Asked > 0 {
		t.Errorf("the plan checks the host %d times: %v, want no check and no diagnostics", m.Asked, plan.Diagnostics)
	}
	resourcetest.WantError(t, two.ApplyPlan(at("/two"), plan), "", "not reachable", "web")
}

// TestHostsAreClosed checks that closing the provider closes the hosts that were used.
func TestHostsAreClosed(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{}
	f := newFleet(t, m, nil, map[string]attrs{"a": {}, "b": {}, "c": {}})
	var o *resourcetest.Object
	for _, name := range []string{"a", "b"} {
		o = resourcetest.NewObject(t, f, "posix_file")
		o.Apply(attrs{"host": str(name), "path": str("/x"), "content": str("x")})
	}
	if err := f.Close(); err != nil || m.Closed != 2 {
		t.Errorf("%d hosts are closed (%v), want 2", m.Closed, err)
	}
	resourcetest.WantError(t, o.Read(), "", "configured")
}

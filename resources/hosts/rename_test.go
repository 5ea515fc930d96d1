package hosts_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestRenamedHost checks that objects whose state has the former name of a host are on the host with
// the new name. A plan has no change, with and without a refresh. A refresh changes the name in the
// state and in the identity. An update before the refresh, an import with a former name, a destroy and a
// create work too.
func TestRenamedHost(t *testing.T) {
	t.Parallel()
	for typeName, tt := range map[string]struct {
		set  attrs
		name string // attribute that a change sets
		to   string
	}{
		"posix_file":      {attrs{"content": str("x\n")}, "content", "y\n"},
		"posix_directory": {attrs{}, "mode", "0700"},
		"posix_symlink":   {attrs{"target": str("/x")}, "target", "/y"},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			m := &resourcetest.RemoteHosts{}
			f := newFleet(t, m, nil, map[string]attrs{"old": {}, "other": {}})
			o := resourcetest.NewObject(t, f, typeName)
			set := tt.set
			set["path"], set["host"] = str("/x"), str("old")
			o.Apply(set)
			m.Rename("old", "new")
			renamed := map[string]attrs{"new": {"formerly": cty.ListVal([]cty.Value{str("older"), str("old")})}, "other": {}}
			f.Set(nil, renamed)
			o.NextRun()

			set["host"] = str("new")
			plan := o.Changes(set)
			if len(plan.RequiresReplace) > 0 || len(plan.Diagnostics) > 0 {
				t.Errorf("the plan without a refresh replaces the object because of %v and has %v, want no replacement and no diagnostics", plan.RequiresReplace, plan.Diagnostics)
			}
			// A change without a refresh is an update on the host with the new name.
			set[tt.name] = str(tt.to)
			if plan = o.Plan(set); len(plan.RequiresReplace) > 0 {
				t.Errorf("a change replaces the object because of %v, want an update", plan.RequiresReplace)
			}
			resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
			o.WantAttrs(attrs{"host": str("old"), tt.name: str(tt.to)})

			if diags := o.Read(); len(diags) > 0 {
				t.Error(diags)
			}
			o.WantAttrs(attrs{"host": str("new")})
			if got := o.Identity.GetAttr("host"); !got.RawEquals(str("new")) {
				t.Errorf("the identity is on host %#v, want new", got)
			}
			o.Changes(set)
			set["host"] = str("old") // the configuration of the resource can be changed later
			o.Changes(set)
			set["host"] = str("other")
			if plan := o.Plan(set); len(plan.RequiresReplace) != 1 {
				t.Errorf("another host: the object is replaced because of %v, want one attribute", plan.RequiresReplace)
			}

			o.Forget()
			resourcetest.NoErrors(t, o.Import("old:/x", cty.NilVal))
			o.WantAttrs(attrs{"host": str("new")})
			id := o.Identity.AsValueMap()
			id["host"] = str("older")
			resourcetest.NoErrors(t, o.Import("", cty.ObjectVal(id)))
			o.WantAttrs(attrs{"host": str("new")})
			resourcetest.NoErrors(t, o.Destroy())
			wantFiles(t, m)

			set["host"] = str("old")
			resourcetest.NoErrors(t, o.ApplyPlan(set, o.Plan(set)))
			o.WantAttrs(attrs{"host": str("old")})
			o.NoChange(set)
			o.WantAttrs(attrs{"host": str("new")})

			// Without the former names in the configuration, they do not find the host.
			set["host"] = str("older")
			f.Set(nil, map[string]attrs{"new": {}, "other": {}})
			o.NextRun()
			resourcetest.WantError(t, o.Plan(set).Diagnostics, "host", `no host "older" is configured`)
		})
	}
}

// TestFormerNames checks the names by which a host is found.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	w := &world{ssh: "Host alias\nHostName real"}
	h := w.hosts(t, hosts.Provider{DefaultHost: new("old"), Hosts: named(map[string]hosts.Host{
		"new":    {Formerly: is([]runtime.Value[string]{is("old"), is("alias"), later[string](), is("root@192.0.2.7:22")})},
		"behind": {Settings: hosts.Settings{ProxyJump: list("old")}},
	})})
	host := find(t, h, "new")
	for _, name := range []string{"old", "alias", "root@192.0.2.7:22"} {
		if got, err := h.Find(&name); err != nil || got != host {
			t.Errorf("%s is %v (%v), want the host new", name, got, err)
		}
		if !h.SameName("host", name, "new") || h.SameName("host", name, "behind") || h.SameName("path", name, "new") {
			t.Errorf("SameName of %q is false for the attribute host and the host new, or true for another attribute or host", name)
		}
	}
	if got, err := h.Find(nil); err != nil || got != host {
		t.Errorf("the default host is %v (%v), want the host new", got, err)
	}
	if got := through(find(t, h, "behind")); got != "new" {
		t.Errorf("behind is reached through %q, want new", got)
	}
	refused(t, h, "", "empty")
	refused(t, h, "older", `no host "older" is configured`)
}

package hosts_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestSkipUnreachable checks that, if on_unreachable is skip, resources on a host that cannot be
// reached keep their last known state, with one warning for each host and run. Plans are made from
// that state, and only applies and imports fail.
func TestSkipUnreachable(t *testing.T) {
	t.Parallel()
	m := &resourcetest.RemoteHosts{Down: map[string]bool{}}
	all := attrs{"on_unreachable": str("skip")}
	named := map[string]attrs{"web": {}, "db": {}, "strict": {"on_unreachable": str("error")}}
	f := newFleet(t, m, all, named)
	object := func(typeName, host string, more attrs) (*resourcetest.Object, attrs) {
		set := attrs{"host": str(host), "path": str("/" + typeName)}
		maps.Copy(set, more)
		o := resourcetest.NewObject(t, f, typeName)
		o.Apply(set)
		return o, set
	}
	file, fileSet := object("posix_file", "web", attrs{"content": str("x\n"), "owner": str("root")})
	link, linkSet := object("posix_symlink", "web", attrs{"target": str("/x")})
	directory, _ := object("posix_directory", "web", attrs{"owner": str("root")})
	other, _ := object("posix_file", "db", attrs{"content": str("x\n")})
	strict, _ := object("posix_file", "strict", attrs{"content": str("x\n")})

	m.Down["web"], m.Down["strict"] = true, true
	for run := range 2 {
		file.NextRun()
		m.Asked = 0
		before := file.State
		wantSkipped(t, file.Read(), "web")
		if !file.State.RawEquals(before) || file.Identity.IsNull() {
			t.Errorf("run %d: after the read, state %#v and identity %#v, want %#v and an identity", run, file.State, file.Identity, before)
		}
		for _, o := range []*resourcetest.Object{link, directory, other} {
			if diags := o.Read(); len(diags) > 0 || o.State.IsNull() {
				t.Errorf("run %d: the read of %s has %v, want no diagnostics and an object", run, o.TypeName, diags)
			}
		}
		file.Changes(fileSet)
		link.Changes(linkSet)
		if m.Asked != 1 {
			t.Errorf("run %d: the host was checked %d times, want once", run, m.Asked)
		}
	}
	resourcetest.WantError(t, strict.Read(), "", "not reachable", "strict")

	// A change and a create are planned without the host. Only their apply fails.
	fileSet["content"], fileSet["group"] = str("y\n"), str("33")
	plan := file.Changes(fileSet, "content", "group", "sha256")
	file.NextRun()
	diags := file.ApplyPlan(fileSet, plan)
	if len(diags) != 1 {
		t.Errorf("the apply of a change has %v, want one error", diags)
	}
	resourcetest.WantError(t, diags, "", "not reachable", "web")
	wantSkipped(t, file.Read(), "web")
	created := resourcetest.NewObject(t, f, "posix_file")
	set := attrs{"host": str("web"), "path": str("/new"), "content": str("x"), "owner": str("root")}
	m.Asked = 0
	plan = created.Plan(set)
	if len(plan.Diagnostics) > 0 || m.Asked > 0 {
		t.Errorf("the plan of a create contacts the host %d times: %v, want no contact and no diagnostics", m.Asked, plan.Diagnostics)
	}
	resourcetest.WantError(t, created.ApplyPlan(set, plan), "", "not reachable", "web")
	resourcetest.WantError(t, link.DeleteNow(), "", "not reachable", "web")
	resourcetest.WantError(t, created.Import("web:/posix_file", cty.NilVal), "", "not reachable", "web")
	wantDone := other.Plan(attrs{"host": str("db"), "path": str("/posix_file"), "content": str("z\n")})
	resourcetest.NoErrors(t, wantDone.Diagnostics)

	// Without a refresh, the plan detects that the host cannot be reached. The next run tries to connect again.
	link.NextRun()
	plan = file.Plan(fileSet)
	wantSkipped(t, plan.Diagnostics, "web")
	m.Down["web"] = false
	link.NextRun()
	file.Apply(fileSet)
	resourcetest.NoErrors(t, link.DeleteNow())
}

// wantSkipped checks that the only diagnostic is the warning about a skipped host.
func wantSkipped(t *testing.T, diags diag.Diagnostics, host string) {
	t.Helper()
	if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, `on_unreachable is "skip" for host `+host) ||
		!strings.Contains(diags[0].Detail, "not reachable") {
		t.Errorf("the diagnostics are %v, want one warning about the skipped host %s", diags, host)
	}
}

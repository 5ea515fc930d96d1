package service_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// TestUnitChangedAfterPlan checks that an update does not replace content that the plan did not
// show.
func TestUnitChangedAfterPlan(t *testing.T) {
	t.Parallel()
	const path = "/etc/systemd/system/saved.service"
	unit := func(program string) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("saved.service"), "content": cty.StringVal("[Service]\nExecStart=" + program + "\n")}
	}
	resourcetest.SavedPlan{
		Types: types, TypeName: "posix_systemd_unit", Old: unit("/bin/true"), New: unit("/bin/false"), Path: path, Attribute: "name",
	}.Everywhere(t)
}

// loadingHost is a host in memory whose systemd cannot load a file with the word bad.
type loadingHost struct {
	host.Host
	path string
}

// Run implements [host.Runner].
func (h loadingHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if args := remotecmd.Program(cmd); len(args) < 3 || !strings.Contains(args[2], "LoadState") {
		return h.Host.Run(ctx, cmd)
	}
	_, r, err := h.Open(ctx, h.path)
	if err != nil {
		return host.Result{}, nil //nolint:nilerr // there is no unit to show
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return host.Result{}, err
	}
	state := "loaded"
	if strings.Contains(string(content), "bad") {
		state = "bad-setting"
	}
	_, err = io.WriteString(cmd.Stdout, "LoadState="+state+"\nActiveState=inactive\nNeedDaemonReload=no\n")
	return host.Result{}, err
}

// TestUnitNotLoaded checks that, after an update that failed because systemd cannot load the new content, the next plan
// shows that systemd has not loaded the unit.
func TestUnitNotLoaded(t *testing.T) {
	t.Parallel()
	const path = "/etc/systemd/system/app.service"
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, loadingHost{resourcetest.NewRootHost(t, path), path}), "posix_systemd_unit")
	set := resourcetest.Attrs{"name": cty.StringVal("app.service"), "content": cty.StringVal("[Service]\nExecStart=/bin/true\n"), "verify": cty.False}
	o.Apply(set)
	set["content"] = cty.StringVal("[Service]\nExecStart=bad\n")
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "", "cannot load it (bad-setting)")
	o.Refresh()
	o.Changes(set, "reload_needed")
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "", "cannot load it (bad-setting)")
	set["content"] = cty.StringVal("[Service]\nExecStart=/bin/false\n")
	o.Apply(set)
}

// TestUnitOfRenamedRoot checks that a unit file has no drift if the user and the group with ID 0 have other names.
func TestUnitOfRenamedRoot(t *testing.T) {
	t.Parallel()
	const path = "/etc/systemd/system/app.service"
	h := memory.New(memory.Config{
		Name: host.LocalName, Users: []host.User{{Name: "admin"}}, Groups: []host.Group{{Name: "wheel"}},
		Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
			if !remotecmd.IsRootQuery(cmd) {
				return host.Result{}, nil
			}
			_, err := io.WriteString(cmd.Stdout, "0\n")
			return host.Result{}, err
		},
	})
	_, err := host.MakeParents(t.Context(), h, path, host.Attributes{})
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_systemd_unit")
	o.Apply(resourcetest.Attrs{"name": cty.StringVal("app.service"), "content": cty.StringVal("[Service]\nExecStart=/bin/true\n")})
	o.WantAttrs(resourcetest.Attrs{"owner": cty.StringVal("root"), "group": cty.StringVal("root")})
}

// TestUnitNotAdopted checks that a create does not store an existing file in the state if systemd cannot load the file:
// otherwise, the resource would be tainted, and the next apply would remove the file.
func TestUnitNotAdopted(t *testing.T) {
	t.Parallel()
	const path, content = "/etc/systemd/system/app.service", "[Service]\nExecStart=bad\n"
	h := resourcetest.NewRootHost(t, path)
	_, err := h.WriteFile(t.Context(), path, strings.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o644))}})
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, loadingHost{h, path}), "posix_systemd_unit")
	set := resourcetest.Attrs{"name": cty.StringVal("app.service"), "content": cty.StringVal(content), "verify": cty.False}
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "", "cannot load it (bad-setting)")
	if !o.State.IsNull() {
		t.Errorf("the state is %#v, want null", o.State)
	}
}

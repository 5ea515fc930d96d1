package hostname_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

const live = "/proc/sys/kernel/hostname"

func named(name string) resourcetest.Attrs {
	return resourcetest.Attrs{"name": cty.StringVal(name)}
}

// kernelHost is a host in memory whose current name can be set.
type kernelHost struct {
	host.Host
	t *testing.T
}

func newKernelHost(t *testing.T) kernelHost {
	t.Helper()
	h := kernelHost{resourcetest.NewRootHost(t, static), t}
	_, err := host.MakeParents(t.Context(), h, live, host.Attributes{})
	resourcetest.Must(t, err)
	resourcetest.WriteOn(t, h, live, "fresh\n")
	return h
}

// Run implements [host.Runner]. Any program with at least two arguments, except the
// query whether the user is root, sets the current name to its last argument.
func (h kernelHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if args := remotecmd.Program(cmd); len(args) > 2 && !remotecmd.IsRootQuery(cmd) {
		if result, err := h.Host.Run(ctx, cmd); err != nil {
			return result, err
		}
		resourcetest.WriteOn(h.t, h.Host, live, args[len(args)-1]+"\n")
		return host.Result{}, nil
	}
	return h.Host.Run(ctx, cmd)
}

func (h kernelHost) names() string {
	h.t.Helper()
	var names string
	for _, path := range []address.Path{static, live} {
		_, text, err := textedit.Read(h.t.Context(), h, path)
		resourcetest.Must(h.t, err)
		names += string(text)
	}
	return names
}

// TestFileChangedAfterPlan checks that an update does not replace the name in the file if the plan did not
// show that name.
func TestFileChangedAfterPlan(t *testing.T) {
	saved := resourcetest.SavedPlan{
		Types: types, TypeName: "posix_hostname", Old: named("old"), New: named("new"), Path: static, Attribute: "name",
		Edited: "by-hand\n", Again: "again\n",
	}
	t.Run("memory", func(t *testing.T) {
		saved.Host = newKernelHost(t)
		saved.Run(t)
	})
	t.Run("local", func(t *testing.T) {
		roottest.Require(t)
		h, err := local.New()
		resourcetest.Must(t, err)
		saved.Host = h
		saved.Run(t)
	})
}

// TestLiveNameChangedAfterPlan checks that an update does not replace a current name that the plan did
// not show.
func TestLiveNameChangedAfterPlan(t *testing.T) {
	h := newKernelHost(t)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_hostname")
	for name, tt := range map[string]struct {
		before, after string // names that another program sets before and after the plan
		fails         bool
	}{
		"changed":            {after: "by-hand", fails: true},
		"changed as planned": {before: "by-hand"},
		"changed again":      {before: "by-hand", after: "again", fails: true},
		"as wanted":          {after: "new"},
	} {
		o.Apply(named("old"))
		set := func(name string) {
			if name != "" {
				resourcetest.WriteOn(t, h, live, name+"\n")
			}
		}
		set(tt.before)
		o.Refresh()
		plan := o.Plan(named("new"))
		resourcetest.NoErrors(t, plan.Diagnostics)
		set(tt.after)
		want := "new\nnew\n"
		if tt.fails {
			want = h.names()
		}
		diags := o.ApplyPlan(named("new"), plan)
		if tt.fails {
			resourcetest.WantError(t, diags, "name", live+" on host local was changed after the plan was made")
		} else if diags.HasErrors() {
			t.Errorf("%s: the apply has %v, want no errors", name, diags)
		}
		if got := h.names(); got != want {
			t.Errorf("%s: the names are %q, want %q", name, got, want)
		}
	}
}

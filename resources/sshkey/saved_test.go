package sshkey_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// TestChangedAfterPlan checks that an update does not replace a line that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	roottest.Require(t)
	const user = "saved"
	file := home(t, user) + "/.ssh/authorized_keys"
	_, key := public(t)
	h, err := local.New()
	resourcetest.Must(t, err)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_authorized_key")
	with := func(comment string) resourcetest.Attrs {
		return resourcetest.Attrs{"user": cty.StringVal(user), "key": cty.StringVal(key + " " + comment + "\n")}
	}
	edit := func(line string) {
		if line != "" {
			write(t, user, file, line+"\n")
		}
	}
	for _, tt := range []struct {
		name, before, after string // lines that another program writes before and after the plan
		fails               bool
	}{
		{name: "unchanged"},
		{name: "comment", after: key + " by hand", fails: true},
		{name: "options", after: "restrict " + key + " old", fails: true},
		{name: "edited again", before: key + " by hand", after: "restrict " + key + " by hand", fails: true},
		{name: "edited as planned", before: "restrict,pty " + key + " by hand"},
		{name: "as wanted", after: key + " new"},
	} {
		o.Apply(with("old"))
		edit(tt.before)
		o.Refresh()
		plan := o.Plan(with("new"))
		resourcetest.NoErrors(t, plan.Diagnostics)
		edit(tt.after)
		want := key + " new"
		diags := o.ApplyPlan(with("new"), plan)
		if tt.fails {
			want = tt.after
			resourcetest.WantError(t, diags, "key", "in "+file+" on host local was changed after the plan was made", "Create a new plan")
		} else if diags.HasErrors() {
			t.Errorf("%s: %v", tt.name, diags)
		}
		if err := is(user, want+"\n")(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

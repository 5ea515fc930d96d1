package tree_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestGeneratedConfiguration checks that the generated configuration of an imported tree,
// whose source is not known, plans no change, and that an empty source is an error otherwise.
func TestGeneratedConfiguration(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	files{"a/x": "x"}.write(t, w.root)
	files{"a/x": "x"}.write(t, w.source)
	o := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_tree")
	resourcetest.NoErrors(t, o.Import(w.root, cty.NilVal))
	set, messages := o.Generate()
	if len(messages) > 0 || set["source"] != cty.StringVal("") {
		t.Errorf("source is %#v, messages %q, want an empty source and no messages", set["source"], messages)
	}
	if diags := o.Plan(set).Diagnostics; len(diags) != 1 || diags[0].Severity != diag.Warning {
		t.Errorf("diagnostics of the plan: %v, want one warning", diags)
	}
	set["purge"] = cty.True // has no effect yet
	o.Apply(set)

	empty := set["source"]
	set["source"] = cty.StringVal(w.source)
	o.Apply(set)
	set["source"] = empty
	resourcetest.WantError(t, o.Plan(set).Diagnostics, "source", "must not be empty")
	o.Forget()
	resourcetest.WantError(t, o.Plan(set).Diagnostics, "source", "must not be empty")
}

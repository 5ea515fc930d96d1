package acctest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
)

// TestLegacyStateModules checks the paths of modules, even if a key contains "module.".
func TestLegacyStateModules(t *testing.T) {
	t.Parallel()
	state, err := legacyState(&tfjson.State{Values: &tfjson.StateValues{RootModule: &tfjson.StateModule{ChildModules: []*tfjson.StateModule{{
		Address:      `module.a["module.b"]`,
		ChildModules: []*tfjson.StateModule{{Address: `module.a["module.b"].module.c[0]`}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, m := range state.Modules {
		got = append(got, m.Path)
	}
	want := [][]string{{"root"}, {"root", `a["module.b"]`}, {"root", `a["module.b"]`, "c[0]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

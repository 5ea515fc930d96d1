package resourcetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Must ends the test if there is an error.
func Must(tb testing.TB, errs ...error) {
	tb.Helper()
	if err := errors.Join(errs...); err != nil {
		tb.Fatal(err)
	}
}

// Check returns a check for a step. The result calls check and ignores the state.
func Check(check func() error) resource.TestCheckFunc {
	return func(*terraform.State) error { return check() }
}

// Plans returns a check that a plan has only this change of one resource, in the form of
// [Changes], or no change if what is "".
func Plans(address, what string) resource.ConfigPlanChecks {
	want := Changes{}
	if what != "" {
		want[address] = what
	}
	return want.PreApply()
}

// PathExists returns a function that reports whether a local path exists, for [Life.Exists].
func PathExists(path string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// Steps runs the steps as a test case with a provider of these types.
func Steps(t *testing.T, types runtime.Definition, steps ...resource.TestStep) {
	t.Helper()
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", Provider(types)), Steps: steps})
}

// Changes has the changes of a plan by address: the actions, and for an update the sorted
// attributes that change, such as "update gid shell". It contains neither reads nor
// unchanged resources, except for "import no-op" and "move no-op".
type Changes map[string]string

var _ plancheck.PlanCheck = Changes(nil)

// CheckPlan implements [plancheck.PlanCheck].
func (want Changes) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	got := Changes{}
	for _, rc := range req.Plan.ResourceChanges {
		var words []string
		if rc.PreviousAddress != "" {
			words = append(words, "move")
		}
		if rc.Change.Importing != nil {
			words = append(words, "import")
		}
		for _, action := range rc.Change.Actions {
			words = append(words, string(action))
		}
		words = append(words, changed(rc.Change)...)
		if text := strings.Join(words, " "); text != "no-op" && text != "read" {
			got[rc.Address] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		resp.Error = fmt.Errorf("planned changes (-want +got):\n%s", diff)
	}
}

// PreApply returns checks of a step's plan before the apply.
func (want Changes) PreApply() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{want}}
}

// changed returns the sorted attributes that an update changes, or nil for other actions.
func changed(c *tfjson.Change) (names []string) {
	if !c.Actions.Update() {
		return nil
	}
	before, _ := c.Before.(map[string]any)
	after, _ := c.After.(map[string]any)
	unknown, _ := c.AfterUnknown.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if hasUnknown(unknown[name]) || !reflect.DeepEqual(before[name], after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// hasUnknown reports whether any part of an after_unknown value is true.
func hasUnknown(unknown any) bool {
	switch u := unknown.(type) {
	case bool:
		return u
	case []any:
		return slices.ContainsFunc(u, hasUnknown)
	case map[string]any:
		for _, element := range u {
			if hasUnknown(element) {
				return true
			}
		}
	}
	return false
}

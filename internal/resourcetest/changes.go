package resourcetest

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// Changes are what a plan does, by address: its actions, and for an update the
// attributes that change, in order, as "update gid shell". What is left alone is
// not in it; what is imported or moved is, as "import no-op" and "move no-op".
type Changes map[string]string

var _ plancheck.PlanCheck = Changes(nil)

// CheckPlan is part of [plancheck.PlanCheck].
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
		words = append(words, Changed(rc.Change)...)
		if text := strings.Join(words, " "); text != "no-op" && text != "read" {
			got[rc.Address] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		resp.Error = fmt.Errorf("planned changes (-want +got):\n%s", diff)
	}
}

// PreApply has a step check the plan before it is applied.
func (want Changes) PreApply() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{want}}
}

// Changed are the attributes that an update changes, in order; of anything else none.
func Changed(c *tfjson.Change) (names []string) {
	if !c.Actions.Update() {
		return nil
	}
	before, _ := c.Before.(map[string]any)
	after, _ := c.After.(map[string]any)
	unknown, _ := c.AfterUnknown.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if open(unknown[name]) || !reflect.DeepEqual(before[name], after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// open reports whether anything in a value is not known yet: what says so has the
// form of the value, and false or nothing where all is known.
func open(unknown any) bool {
	switch u := unknown.(type) {
	case bool:
		return u
	case []any:
		return slices.ContainsFunc(u, open)
	case map[string]any:
		for _, element := range u {
			if open(element) {
				return true
			}
		}
	}
	return false
}

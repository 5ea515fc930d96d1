package sidebyside

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// action is the action that Terraform shows for a plan.
type action string

const (
	creates     action = "create"
	updates     action = "update"
	replaces    action = "replace"
	doesNothing action = "nothing"
)

// plan is a provider's response to a plan request, with the action that Terraform derives from it.
type plan struct {
	provider.PlanResourceChangeResponse

	prior, config cty.Value
	action        action
}

// actionTexts has the words for the actions in the notes of the page.
var actionTexts = map[action]string{creates: "a create", updates: "an update", replaces: "a replacement", doesNothing: "empty"}

func newPlan(prior, config cty.Value, resp provider.PlanResourceChangeResponse) *plan {
	p := &plan{PlanResourceChangeResponse: resp, prior: prior, config: config, action: updates}
	switch {
	case prior.IsNull():
		p.action = creates
		return p
	case objchange.EqualExact(prior, resp.PlannedState):
		p.action = doesNothing
		return p
	}
	for _, path := range resp.RequiresReplace {
		step, ok := path[0].(cty.GetAttrStep)
		if ok && !objchange.EqualExact(prior.GetAttr(step.Name), resp.PlannedState.GetAttr(step.Name)) {
			p.action = replaces
		}
	}
	return p
}

// expect returns an error unless the plan has exactly this action.
func (p *plan) expect(want action) error {
	if p.action == want {
		return nil
	}
	text := fmt.Sprintf("the plan is %s instead of %s", actionTexts[p.action], actionTexts[want])
	if changes := p.changes(); len(changes) > 0 {
		text += ", and changes " + strings.Join(changes, ", ")
	}
	return errors.New(text)
}

// changes returns the attributes that differ from the prior state.
func (p *plan) changes() []string {
	var names []string
	for name := range p.PlannedState.Type().AttributeTypes() {
		if p.prior.IsNull() || !objchange.EqualExact(p.prior.GetAttr(name), p.PlannedState.GetAttr(name)) {
			names = append(names, name)
		}
	}
	return sorted(names)
}

// expectChanges returns an error unless exactly these attributes change.
func (p *plan) expectChanges(want ...string) error {
	if got := p.changes(); fmt.Sprint(got) != fmt.Sprint(sorted(want)) {
		return fmt.Errorf("the plan changes %v, want %v", got, sorted(want))
	}
	return nil
}

// expectUnknown returns an error unless exactly these attributes are unknown or contain unknown
// values. It ignores the id.
func (p *plan) expectUnknown(want ...string) error {
	var got []string
	for name, v := range p.PlannedState.AsValueMap() {
		if !v.IsWhollyKnown() && name != "id" { // every resource of SDKv2 has an id
			got = append(got, name)
		}
	}
	if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(want)) {
		return fmt.Errorf("%v are unknown in the plan, want %v", sorted(got), sorted(want))
	}
	return nil
}

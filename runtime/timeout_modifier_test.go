package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// timedResource has timeouts, and marks the output serial as unknown whenever the inputs differ.
type timedResource struct {
	crud[timedResource, timedOutput] `tf:"-"`
	Name                             string
	Timeouts                         *runtime.Timeouts
}

type timedOutput struct {
	Name   string
	Serial int64
}

var timedUpdates int

func (p *timedResource) Create(context.Context, runtime.NoConfig) (*timedOutput, error) {
	return &timedOutput{p.Name, 1}, nil
}

func (*timedResource) Read(_ context.Context, _ runtime.NoConfig, prior *timedOutput) (*timedOutput, error) {
	return prior, nil
}

func (p *timedResource) Update(context.Context, runtime.NoConfig, runtime.Prior[timedResource, *timedOutput]) (*timedOutput, error) {
	timedUpdates++
	return &timedOutput{p.Name, 2}, nil
}

func (*timedResource) ModifyResourcePlan(req runtime.ResourcePlanRequest[timedResource, *timedOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if runtime.Changed(req.PriorInputs, req.CurrentInputs) {
		resp.MarkOutputUnknown("serial")
	}
	return nil
}

// TestTimeoutsAreNoChangeToPlanModifiers checks that a change of only the timeouts is not a
// difference for a ModifyResourcePlan that compares all inputs.
func TestTimeoutsAreNoChangeToPlanModifiers(t *testing.T) {
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"it": runtime.MakeResource[timedResource, *timedOutput, runtime.NoConfig](),
	}}), "test_it")
	config := func(create string) cty.Value {
		ty := d.schema.Body.Attributes["timeouts"].NestedType.ImpliedType()
		all := attrs{}
		for name, at := range ty.AttributeTypes() {
			all[name] = cty.NullVal(at)
		}
		all["create"] = str(create)
		return d.config(attrs{"name": str("n"), "timeouts": cty.ObjectVal(all)})
	}
	d.apply(config("1m"))
	if plan := d.apply(config("2m")); !plan.PlannedState.GetAttr("serial").RawEquals(num(1)) {
		t.Errorf("after a change of only the timeouts, the planned serial is %#v, want 1", plan.PlannedState.GetAttr("serial"))
	}
	if timedUpdates != 0 {
		t.Errorf("a change of only the timeouts calls Update %d times, want no call", timedUpdates)
	}
	if got := d.attr("timeouts").GetAttr("create"); !got.RawEquals(str("2m")) {
		t.Errorf("the state has the create timeout %#v, want 2m", got)
	}
}

// timedStone is a resource for which every change needs a new object, except a change of its note.
type timedStone struct {
	crud[timedStone, timedStoneOutput] `tf:"-"`
	Name                               string
	Note                               *string
	Timeouts                           *runtime.Timeouts
}

type timedStoneOutput struct{ Name string }

func (s *timedStone) Create(context.Context, runtime.NoConfig) (*timedStoneOutput, error) {
	return &timedStoneOutput{s.Name}, nil
}

func (*timedStone) ReplaceOn(field string, _, _ timedStone) bool { return field != "note" }

// TestTimeoutsDoNotReplace checks that a change of the timeouts together with a change that is an
// update does not replace the object.
func TestTimeoutsDoNotReplace(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"stone": runtime.MakeResource[timedStone, *timedStoneOutput, runtime.NoConfig](),
	}}), "test_stone")
	d.apply(d.config(attrs{"name": str("n")}))
	ty := d.schema.Body.Attributes["timeouts"].NestedType.ImpliedType()
	timeouts := attrs{}
	for name, at := range ty.AttributeTypes() {
		timeouts[name] = cty.NullVal(at)
	}
	timeouts["create"] = str("1m")
	plan := d.plan(d.config(attrs{"name": str("n"), "note": str("new"), "timeouts": cty.ObjectVal(timeouts)}))
	if plan.Diagnostics.HasErrors() || len(plan.RequiresReplace) > 0 {
		t.Errorf("plan with a new timeout: got a replacement because of %v and diagnostics %v, want neither", plan.RequiresReplace, plan.Diagnostics)
	}
	if plan := d.plan(d.config(attrs{"name": str("m")})); len(plan.RequiresReplace) != 1 {
		t.Errorf("plan with a new name: got a replacement because of %v, want one path", plan.RequiresReplace)
	}
}

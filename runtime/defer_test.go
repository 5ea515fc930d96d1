package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Postponed is a resource whose updates are deferred.
type Postponed struct {
	crud[Postponed, PostponedOutput] `tf:"-"`

	Name  string
	Note  *string
	Rules []PostponedRule `tf:"rule,block"`
}

type PostponedRule struct{ Port int64 }

type PostponedOutput struct {
	Name   string
	Serial int64
}

func (p *Postponed) Create(context.Context, runtime.NoConfig) (*PostponedOutput, error) {
	return &PostponedOutput{Name: p.Name, Serial: 1}, nil
}

func (*Postponed) ModifyResourcePlan(runtime.ResourcePlanRequest[Postponed, *PostponedOutput, runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return runtime.Defer(provider.DeferredReasonAbsentPrereq)
}

// TestDeferredUpdateIsValidPlan checks that the plan of an update that ModifyResourcePlan defers
// has the values of the configuration, like that of an update that ValidateInputs defers. The prior
// state would not be a valid plan, because it has values that are not configured any more.
func TestDeferredUpdateIsValidPlan(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"postponed": runtime.MakeResource[Postponed, *PostponedOutput, runtime.NoConfig](),
	}}), "test_postponed")
	d.caps.DeferralAllowed = true
	rules := cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"port": num(80)})})
	d.apply(d.config(attrs{"name": str("a"), "note": str("n"), "rule": rules}))

	config := d.config(attrs{"name": str("b")})
	plan := d.plan(config)
	if plan.Deferred == nil || plan.Diagnostics.HasErrors() {
		t.Fatalf("plan: deferred %v, diagnostics %v, want a deferral and no errors", plan.Deferred, plan.Diagnostics)
	}
	for _, err := range objchange.AssertPlanValid(d.schema.Body, d.state, config, plan.PlannedState) {
		t.Errorf("invalid plan: %v", err)
	}
	if plan.PlannedState.GetAttr("serial").IsKnown() {
		t.Error("the deferred plan has a known output")
	}
}

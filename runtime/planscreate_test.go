package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Occasion records the result of PlansCreate for each call of ValidateInputs.
type Occasion struct {
	Name  string
	saw   *[]bool
	Extra *string
}

type OccasionOut struct{ Name string }

func (*Occasion) SchemaVersion() int      { return 0 }
func (*Occasion) ReplaceFields() []string { return []string{"name"} }
func (o *Occasion) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error {
	*o.saw = append(*o.saw, runtime.PlansCreate(ctx))
	return nil
}

func (o *Occasion) Create(context.Context, runtime.NoConfig) (*OccasionOut, error) {
	return &OccasionOut{o.Name}, nil
}

func (*Occasion) Read(_ context.Context, _ runtime.NoConfig, prior *OccasionOut) (*OccasionOut, error) {
	return prior, nil
}

func (o *Occasion) Update(context.Context, runtime.NoConfig, runtime.Prior[Occasion, *OccasionOut]) (*OccasionOut, error) {
	return &OccasionOut{o.Name}, nil
}
func (*Occasion) Delete(context.Context, runtime.NoConfig, *OccasionOut) error { return nil }

func TestPlansCreate(t *testing.T) {
	t.Parallel()
	var saw []bool
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"occasion": runtime.MakeResourceWith[Occasion, *OccasionOut, runtime.NoConfig](func() *Occasion { return &Occasion{saw: &saw} }),
	}}), "test_occasion")

	expect := func(when string, want bool) {
		t.Helper()
		if len(saw) != 1 || saw[0] != want {
			t.Errorf("%s: values of PlansCreate: %v, want only %v", when, saw, want)
		}
		saw = nil
	}
	config := d.config(attrs{"name": str("a")})
	plan := d.plan(config)
	expect("plan of a create", true)
	d.applyPlan(config, plan)
	expect("create", false)
	config = d.config(attrs{"name": str("a"), "extra": str("x")})
	plan = d.plan(config)
	expect("plan of an update", false)
	d.applyPlan(config, plan)
	expect("update", false)
	d.planFrom(cty.NullVal(d.state.Type()), config, nil, cty.NilVal)
	expect("second plan of a replacement", true)
	if runtime.PlansCreate(t.Context()) {
		t.Error("PlansCreate returns true outside of a call")
	}
}

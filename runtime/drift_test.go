package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Knob is a resource with an output and an attribute of dynamic type.
type Knob struct {
	Name    string
	Setting cty.Value `tf:",optional"`

	turns *int64 // of the real object
}

type KnobOutput struct {
	Name    string
	Setting cty.Value
	Turns   int64
}

func (*Knob) SchemaVersion() int      { return 0 }
func (*Knob) ReplaceFields() []string { return nil }

func (k *Knob) Create(context.Context, runtime.NoConfig) (*KnobOutput, error) {
	return &KnobOutput{k.Name, k.Setting, *k.turns}, nil
}

func (k *Knob) Read(_ context.Context, _ runtime.NoConfig, prior *KnobOutput) (*KnobOutput, error) {
	return &KnobOutput{prior.Name, prior.Setting, *k.turns}, nil
}

func (k *Knob) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Knob, *KnobOutput]) (*KnobOutput, error) {
	return k.Create(ctx, cfg)
}

func (*Knob) Delete(context.Context, runtime.NoConfig, *KnobOutput) error { return nil }

// ModifyResourcePlan keeps all outputs, so that only drift makes one unknown.
func (*Knob) ModifyResourcePlan(runtime.ResourcePlanRequest[Knob, *KnobOutput, runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return nil
}

// TestDriftWithDynamicValues checks that applied outputs are stored even if there are
// values of dynamic type.
func TestDriftWithDynamicValues(t *testing.T) {
	t.Parallel()
	for name, setting := range map[string]cty.Value{
		"none": cty.NullVal(cty.DynamicPseudoType), "text": str("x"), "tuple": cty.TupleVal([]cty.Value{num(1), str("x")}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := new(int64)
			d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
				"knob": runtime.MakeResourceWith[Knob, *KnobOutput, runtime.NoConfig](func() *Knob { return &Knob{turns: turns} }),
			}}), "test_knob")
			config := d.config(attrs{"name": str("a"), "setting": setting})
			d.apply(config)
			*turns = 3
			d.refresh()
			if plan := d.plan(config); plan.PlannedState.GetAttr("turns").IsKnown() {
				t.Errorf("the drifted output is known in the plan; private data: %s", d.private)
			}
			*turns = 0
			d.refresh()
			d.noChange(config)
		})
	}
}

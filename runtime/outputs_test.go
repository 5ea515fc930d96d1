package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Poster has outputs that are known before it is created.
type Poster struct {
	Name string
	Text string
	Size *int64
}

type PosterOutput struct {
	Name   string
	Text   string
	Size   *int64 `tf:",computed"`
	Length int64
	Hint   *string
	Serial int64
}

func (*Poster) SchemaVersion() int      { return 0 }
func (*Poster) ReplaceFields() []string { return []string{"name"} }

func (p *Poster) Create(context.Context, runtime.NoConfig) (*PosterOutput, error) {
	size := int64(3)
	if p.Size != nil {
		size = *p.Size
	}
	return &PosterOutput{p.Name, p.Text, &size, int64(len(p.Text)), nil, 7}, nil
}

func (*Poster) Read(_ context.Context, _ runtime.NoConfig, prior *PosterOutput) (*PosterOutput, error) {
	return prior, nil
}

func (p *Poster) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Poster, *PosterOutput]) (*PosterOutput, error) {
	return p.Create(ctx, cfg)
}

func (*Poster) Delete(context.Context, runtime.NoConfig, *PosterOutput) error { return nil }

func (p *Poster) ValidateInputs(context.Context, runtime.NoConfig) error {
	if p.Text == "" {
		return errors.New("an empty poster")
	}
	return nil
}

// PlanOutputs sets the size, the hint, and the length, which follows from the text. A text may
// name a mistake to make.
func (p *Poster) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	switch p.Text {
	case "":
		return errors.New("PlanOutputs called with rejected inputs")
	case "misspelt":
		plan.Set("lengths", 1)
	case "mistyped":
		plan.Set("length", "8")
	case "an input":
		plan.Set("text", "x")
	case "several":
		plan.Set("lengths", 1)
		plan.Set("text", "x")
		plan.Set("length", "8")
		return nil
	case "failing":
		return errors.New("no idea")
	case "panicking":
		panic("no idea")
	}
	plan.Set("length", int64(len(p.Text)))
	plan.Set("size", int64(3))
	plan.Set("hint", nil)
	return nil
}

func newPoster(t *testing.T) *driver {
	t.Helper()
	return newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"poster": runtime.MakeResource[Poster, *PosterOutput, runtime.NoConfig](),
	}}), "test_poster")
}

func TestPlanOutputs(t *testing.T) {
	t.Parallel()
	d := newPoster(t)
	config := func(text cty.Value) cty.Value { return d.config(attrs{"name": str("n"), "text": text}) }
	planned := func(plan provider.PlanResourceChangeResponse, name string) cty.Value {
		return plan.PlannedState.GetAttr(name)
	}
	if plan := d.plan(config(cty.UnknownVal(cty.String))); planned(plan, "length").IsKnown() {
		t.Error("the length of an unknown text is known in the plan")
	}
	plan := d.apply(config(str("hello")))
	if got := planned(plan, "length"); !got.RawEquals(num(5)) {
		t.Errorf("planned length of a create: %#v, want 5", got)
	}
	if planned(plan, "serial").IsKnown() || !planned(plan, "size").RawEquals(num(3)) || !planned(plan, "hint").RawEquals(cty.NullVal(cty.String)) {
		t.Errorf("planned %#v", plan.PlannedState)
	}
	d.noChange(config(str("hello")))

	if plan := d.plan(config(str("olleh"))); !planned(plan, "length").RawEquals(num(5)) || planned(plan, "serial").IsKnown() {
		t.Errorf("planned state of an update: %#v, want length 5 and an unknown serial", plan.PlannedState)
	}
	if plan := d.plan(d.config(attrs{"name": str("m"), "text": str("hi")})); len(plan.RequiresReplace) != 1 || !planned(plan, "length").RawEquals(num(2)) {
		t.Errorf("plan of a replacement: %#v because of %v, want length 2 and one path", plan.PlannedState, plan.RequiresReplace)
	}
	if plan := d.plan(d.config(attrs{"name": str("n"), "text": str("hello"), "size": num(9)})); !planned(plan, "size").RawEquals(num(9)) {
		t.Errorf("a configured size is planned as %#v, want 9", planned(plan, "size"))
	}
	if plan := d.plan(config(str(""))); !plan.Diagnostics.HasErrors() || strings.Contains(plan.Diagnostics.Error(), "PlanOutputs called") {
		t.Errorf("diagnostics for inputs that ValidateInputs rejects: %v, want an error without a call of PlanOutputs", plan.Diagnostics)
	}
}

func TestPlanOutputsMistakes(t *testing.T) {
	t.Parallel()
	d := newPoster(t)
	for text, want := range map[string]string{
		"misspelt": `"lengths", which is not computed`, "an input": `"text", which is not computed`,
		"several":  `sets "lengths", which is not computed, and "text", which is not computed, and "length", which has the type int64, to a value of type string; please report this`,
		"mistyped": "int64, to a value of type string", "failing": "no idea", "panicking": "method PlanOutputs of test_poster panicked",
	} {
		plan := d.plan(d.config(attrs{"name": str("n"), "text": str(text)}))
		if !plan.Diagnostics.HasErrors() || !strings.Contains(plan.Diagnostics.Error(), want) {
			t.Errorf("%s: %v", text, plan.Diagnostics)
		}
	}
}

// Dimmer has an input that can be unknown, and that PlanOutputs sets.
type Dimmer struct {
	Name  string
	Level runtime.Value[int64]
}

type DimmerOutput struct {
	Name  string
	Level runtime.Value[int64] `tf:",computed"`
}

func (d *Dimmer) Create(context.Context, runtime.NoConfig) (*DimmerOutput, error) {
	return &DimmerOutput{d.Name, d.Level}, nil
}

func (*Dimmer) Read(_ context.Context, _ runtime.NoConfig, prior *DimmerOutput) (*DimmerOutput, error) {
	return prior, nil
}

func (d *Dimmer) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Dimmer, *DimmerOutput]) (*DimmerOutput, error) {
	return d.Create(ctx, cfg)
}

func (*Dimmer) Delete(context.Context, runtime.NoConfig, *DimmerOutput) error { return nil }

// PlanOutputs sets the level. The call has no effect if the level is configured.
func (*Dimmer) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	plan.Set("level", runtime.Known[int64](3))
	return nil
}

// TestPlanOutputsOfUnknownValue checks that PlanOutputs does not replace an unknown value of the
// configuration, because clients reject such a plan.
func TestPlanOutputsOfUnknownValue(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"dimmer": runtime.MakeResource[Dimmer, *DimmerOutput, runtime.NoConfig](),
	}}), "test_dimmer")
	for name, tt := range map[string]struct{ level, want cty.Value }{
		"not configured": {cty.NullVal(cty.Number), num(3)},
		"unknown":        {cty.UnknownVal(cty.Number), cty.UnknownVal(cty.Number)},
		"known":          {num(5), num(5)},
	} {
		plan := d.plan(d.config(attrs{"name": str("a"), "level": tt.level}))
		if got := plan.PlannedState.GetAttr("level"); !got.RawEquals(tt.want) || plan.Diagnostics.HasErrors() {
			t.Errorf("%s: level is planned as %#v, want %#v; diagnostics %v", name, got, tt.want, plan.Diagnostics)
		}
	}
}

func ExampleOutputPlanner() {
	c := newConsole(runtime.MakeResource[Poster, *PosterOutput, runtime.NoConfig]())
	c.apply(attrs{"name": str("n"), "text": str("hello")})
	c.apply(attrs{"name": str("n"), "text": str("good bye")}) // the length is known in the plan
	display(c.state, "length")
	// Output:
	// create
	// update
	//   serial = (known after apply)
	// length = 8
}

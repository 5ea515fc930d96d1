package runtime_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Crate has inputs with the option replace, and outputs with keep.
type Crate struct {
	Wood  string `tf:",replace"`
	Note  *string
	Lid   *Lid
	Slots []Slot          `tf:",optional"`
	Tags  map[string]Slot `tf:",optional"`
}

type Lid struct {
	Color string
	Hinge *Hinge
}

type Hinge struct {
	Metal string `tf:",replace"`
	Oil   *string
}

type Slot struct {
	Size  int64
	Label *string
}

type CrateOutput struct {
	ID     string `tf:",keep"`
	Weight int64
	Inside *string `tf:",keep"`
}

func (*Crate) ReplaceFields() []string { return []string{"slots.size", "tags.size"} }

func (*Crate) Create(context.Context, runtime.NoConfig) (*CrateOutput, error) {
	return &CrateOutput{ID: "crate-1", Weight: 1}, nil
}

func (*Crate) Read(_ context.Context, _ runtime.NoConfig, prior *CrateOutput) (*CrateOutput, error) {
	return prior, nil
}

func (*Crate) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[Crate, *CrateOutput]) (*CrateOutput, error) {
	inside := "straw"
	return &CrateOutput{ID: prior.Outputs.ID, Weight: prior.Outputs.Weight + 1, Inside: &inside}, nil
}

func (*Crate) Delete(context.Context, runtime.NoConfig, *CrateOutput) error { return nil }

// TestReplaceAndKeep checks the plans of changes: which paths require replacement, and which
// outputs are unknown.
func TestReplaceAndKeep(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"crate": runtime.MakeResource[Crate, *CrateOutput, runtime.NoConfig](),
	}}), "test_crate")
	object := func(attr string, set attrs) cty.Value {
		ty := d.schema.Body.Attributes[attr].ImpliedType()
		if !ty.IsObjectType() {
			ty = ty.ElementType()
		}
		all := attrs{}
		for name, inner := range ty.AttributeTypes() {
			all[name] = cty.NullVal(inner)
		}
		maps.Copy(all, set)
		return cty.ObjectVal(all)
	}
	slot := func(size int64, label string) cty.Value {
		return object("slots", attrs{"size": cty.NumberIntVal(size), "label": str(label)})
	}
	hinge := func(metal cty.Value, oil string) cty.Value {
		return object("lid", attrs{"color": str("red"), "hinge": cty.ObjectVal(attrs{"metal": metal, "oil": str(oil)})})
	}
	base := attrs{
		"wood": str("oak"), "lid": hinge(str("iron"), "none"), "slots": cty.ListVal([]cty.Value{slot(1, "a"), slot(2, "b")}),
		"tags": cty.MapVal(attrs{"x": slot(1, "x")}),
	}
	d.apply(d.config(base))
	for name, tt := range map[string]struct {
		set     attrs
		replace []string
	}{
		"a note":                  {set: attrs{"note": str("new")}},
		"an unknown note":         {set: attrs{"note": cty.UnknownVal(cty.String)}},
		"a tag":                   {set: attrs{"wood": str("pine")}, replace: []string{"wood"}},
		"inside, in place":        {set: attrs{"lid": hinge(str("iron"), "more")}},
		"two levels inside":       {set: attrs{"lid": hinge(str("brass"), "none")}, replace: []string{"lid.hinge.metal"}},
		"unknown inside":          {set: attrs{"lid": hinge(cty.UnknownVal(cty.String), "none")}, replace: []string{"lid.hinge.metal"}},
		"the object is removed":   {set: attrs{"lid": cty.NullVal(base["lid"].Type())}, replace: []string{"lid.hinge.metal"}},
		"the object is unknown":   {set: attrs{"lid": cty.UnknownVal(base["lid"].Type())}, replace: []string{"lid"}},
		"an element, in place":    {set: attrs{"slots": cty.ListVal([]cty.Value{slot(1, "a"), slot(2, "c")})}},
		"an element":              {set: attrs{"slots": cty.ListVal([]cty.Value{slot(1, "a"), slot(3, "b")})}, replace: []string{"slots[1].size"}},
		"an element is added":     {set: attrs{"slots": cty.ListVal([]cty.Value{slot(1, "a"), slot(2, "b"), slot(3, "c")})}, replace: []string{"slots[2].size"}},
		"an element is removed":   {set: attrs{"slots": cty.ListVal([]cty.Value{slot(1, "a")})}, replace: []string{"slots[1].size"}},
		"an element of a map":     {set: attrs{"tags": cty.MapVal(attrs{"x": slot(2, "x")})}, replace: []string{`tags["x"].size`}},
		"another key of a map":    {set: attrs{"tags": cty.MapVal(attrs{"y": slot(1, "x")})}, replace: []string{`tags["x"].size`, `tags["y"].size`}},
		"a map element, in place": {set: attrs{"tags": cty.MapVal(attrs{"x": slot(1, "y")})}},
	} {
		t.Run(name, func(t *testing.T) {
			set := maps.Clone(base)
			maps.Copy(set, tt.set)
			plan := d.plan(d.config(set))
			var got []string
			for _, path := range plan.RequiresReplace {
				got = append(got, diag.FormatPath(path))
			}
			if !slices.Equal(got, tt.replace) {
				t.Errorf("the plan requires a replacement because of %q, want %q", got, tt.replace)
			}
			for output, known := range map[string]bool{"id": len(tt.replace) == 0, "weight": false, "inside": false} {
				if v := plan.PlannedState.GetAttr(output); v.IsKnown() != known {
					t.Errorf("%s is planned as %#v, want a known value: %t", output, v, known)
				}
			}
		})
	}
	base["note"] = str("an update sets inside")
	d.apply(d.config(base))
	base["note"] = str("another keeps it")
	if inside := d.plan(d.config(base)).PlannedState.GetAttr("inside"); !inside.IsKnown() {
		t.Errorf("inside has a value and is planned as %#v, want it known", inside)
	}
}

type (
	replacesSecret struct {
		crud[replacesSecret, none] `tf:"-"`
		A                          *string `tf:",writeonly,replace"`
	}
	replacesOutput struct {
		crud[replacesOutput, replacesOutputOut] `tf:"-"`
		A                                       string
	}
	replacesOutputOut struct {
		B string `tf:",replace"`
	}
	replacesInSet struct {
		crud[replacesInSet, none] `tf:"-"`
		A                         []Hinge `tf:",set"`
	}
	keepsInput struct {
		crud[keepsInput, none] `tf:"-"`
		A                      *string `tf:",keep"`
	}
	keepsConfigured struct {
		crud[keepsConfigured, keepsConfiguredOut] `tf:"-"`
		A                                         *string
	}
	keepsConfiguredOut struct {
		A *string `tf:",keep"`
	}
	keepsInside struct {
		crud[keepsInside, none] `tf:"-"`
		A                       *struct {
			B *string `tf:",computed,keep"`
		}
	}
	keepsVolatile struct {
		crud[keepsVolatile, keepsVolatileOut] `tf:"-"`
		A                                     string
	}
	keepsVolatileOut struct {
		B string `tf:",keep,volatile"`
	}
	namesInSet struct {
		crud[namesInSet, none] `tf:"-"`
		A                      []Slot `tf:",set"`
	}
	namesNothing struct {
		crud[namesNothing, none] `tf:"-"`
		A                        Slot
	}
	replacesInSecret struct {
		crud[replacesInSecret, none] `tf:"-"`
		A                            *Hinge `tf:",writeonly"`
	}
	replacesInComputed struct {
		crud[replacesInComputed, replacesInComputedOut] `tf:"-"`
		A                                               *computedHinge
	}
	computedHinge struct {
		B *Hinge `tf:",computed"`
	}
	replacesInComputedOut struct{ A *computedHinge }
	replacesInOutput      struct {
		crud[replacesInOutput, replacesInOutputOut] `tf:"-"`
		A                                           string
	}
	replacesInOutputOut struct{ B *Hinge }
	namesInSecret       struct {
		crud[namesInSecret, none] `tf:"-"`
		A                         *Slot `tf:",writeonly"`
	}
	namesInText struct {
		crud[namesInText, none] `tf:"-"`
		A                       string
	}
	namesTimeout struct {
		crud[namesTimeout, none] `tf:"-"`
		A                        string
		Timeouts                 *runtime.Timeouts
	}
	replacesInChosen struct {
		crud[replacesInChosen, replacesInChosenOut] `tf:"-"`
		A                                           *Hinge
	}
	replacesInChosenOut struct {
		A *Hinge `tf:",computed"`
	}
)

func (*namesInSet) ReplaceFields() []string   { return []string{"a.size"} }
func (*namesNothing) ReplaceFields() []string { return []string{"a.colour"} }

func (*namesInSecret) ReplaceFields() []string { return []string{"a.size"} }
func (*namesInText) ReplaceFields() []string   { return []string{"a.length"} }
func (*namesTimeout) ReplaceFields() []string  { return []string{"timeouts.create"} }

// TestMisplacedReplaceAndKeep checks the errors for the options replace and keep, and for names
// in ReplaceFields, where they are not allowed.
func TestMisplacedReplaceAndKeep(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]runtime.ResourceRegistration{
		"replacesSecret.A: it has the option replace, but it is write-only":      runtime.MakeResource[replacesSecret, *none, runtime.NoConfig](),
		"B: move the option replace to the field of the inputs":                  runtime.MakeResource[replacesOutput, *replacesOutputOut, runtime.NoConfig](),
		"replacesInSet.A: it has the option replace inside a set":                runtime.MakeResource[replacesInSet, *none, runtime.NoConfig](),
		"keepsInput.A: move the option keep to the field of the outputs":         runtime.MakeResource[keepsInput, *none, runtime.NoConfig](),
		"add computed, or remove keep":                                           runtime.MakeResource[keepsConfigured, *keepsConfiguredOut, runtime.NoConfig](),
		"keepsInside.A: the option keep is for whole outputs":                    runtime.MakeResource[keepsInside, *none, runtime.NoConfig](),
		"an attribute that is volatile or transient cannot have the option keep": runtime.MakeResource[keepsVolatile, *keepsVolatileOut, runtime.NoConfig](),
		`ReplaceFields: "a.size" is inside a set`:                                runtime.MakeResource[namesInSet, *none, runtime.NoConfig](),
		`ReplaceFields: "a.colour" is not an input`:                              runtime.MakeResource[namesNothing, *none, runtime.NoConfig](),
		`ReplaceFields: "a.length" is not an input`:                              runtime.MakeResource[namesInText, *none, runtime.NoConfig](),
		"replacesInSecret.A: it contains an attribute with the option":           runtime.MakeResource[replacesInSecret, *none, runtime.NoConfig](),
		"replacesInComputed.A: it has the option replace inside":                 runtime.MakeResource[replacesInComputed, *replacesInComputedOut, runtime.NoConfig](),
		"replacesInOutputOut.B: an attribute inside it has the option":           runtime.MakeResource[replacesInOutput, *replacesInOutputOut, runtime.NoConfig](),
		`ReplaceFields: "a.size" is inside an attribute that is write-only`:      runtime.MakeResource[namesInSecret, *none, runtime.NoConfig](),
		"the timeouts cannot require a new object":                               runtime.MakeResource[namesTimeout, *none, runtime.NoConfig](),
	} {
		_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"it": r}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"it": runtime.MakeResource[replacesInChosen, *replacesInChosenOut, runtime.NoConfig](),
	}})
	if err != nil {
		t.Errorf("an object that is configured or chosen by the provider: %v, want no error", err)
	}
}

// Barrel has outputs with the option keep that its methods try to change.
type Barrel struct{ Wood, Mark, Set *string }

type BarrelOutput struct {
	ID     string  `tf:",keep"`
	Vessel *string `tf:",keep"`
}

func (*Barrel) ReplaceFields() []string { return nil }

func (b *Barrel) ModifyResourcePlan(req runtime.ResourcePlanRequest[Barrel, *BarrelOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if req.CurrentInputs.Mark != nil {
		resp.MarkOutputUnknown(*req.CurrentInputs.Mark)
	}
	return nil
}

func (b *Barrel) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	if b.Set != nil {
		plan.Set("id", *b.Set)
	}
	return nil
}

func (b *Barrel) Create(context.Context, runtime.NoConfig) (*BarrelOutput, error) {
	return &BarrelOutput{ID: "barrel-1"}, nil
}

func (*Barrel) Read(_ context.Context, _ runtime.NoConfig, prior *BarrelOutput) (*BarrelOutput, error) {
	return prior, nil
}

func (*Barrel) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[Barrel, *BarrelOutput]) (*BarrelOutput, error) {
	return prior.Outputs, nil
}

func (*Barrel) Delete(context.Context, runtime.NoConfig, *BarrelOutput) error { return nil }

// TestKeptOutputsStay checks that no method changes the plan of an output with the option keep and a value:
// a plan with unknown inputs, for which ModifyResourcePlan and PlanOutputs are not called, has
// shown the value already.
func TestKeptOutputsStay(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"barrel": runtime.MakeResource[Barrel, *BarrelOutput, runtime.NoConfig](),
	}}), "test_barrel")
	d.apply(d.config(attrs{"wood": str("oak")}))
	if id := d.plan(d.config(attrs{"wood": cty.UnknownVal(cty.String)})).PlannedState.GetAttr("id"); !id.RawEquals(str("barrel-1")) {
		t.Errorf("with an unknown input, id is planned as %#v, want barrel-1", id)
	}
	wantError(t, d.plan(d.config(attrs{"mark": str("id")})).Diagnostics, `MarkOutputUnknown names "id", which has the option keep`)
	wantError(t, d.plan(d.config(attrs{"set": str("barrel-2")})).Diagnostics, `PlanOutputs sets "id", which has the option keep`)
	for name, set := range map[string]attrs{
		"a kept output without a value": {"mark": str("vessel")},
		"the same value":                {"set": str("barrel-1")},
	} {
		if diags := d.plan(d.config(set)).Diagnostics; len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

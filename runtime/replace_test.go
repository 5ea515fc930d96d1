package runtime_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Statue can be changed in place while it has a chisel.
type Statue struct {
	Name   string
	Pose   string
	Chisel runtime.Value[string]
	Note   *string

	cracks *int64 // of the real object
}

type StatueOutput struct {
	Name   string
	Cracks int64
	Shine  int64
}

func (*Statue) SchemaVersion() int      { return 0 }
func (*Statue) ReplaceFields() []string { return []string{"name"} }

func (s *Statue) Create(context.Context, runtime.NoConfig) (*StatueOutput, error) {
	return &StatueOutput{s.Name, *s.cracks, *s.cracks}, nil
}

func (s *Statue) Read(context.Context, runtime.NoConfig, *StatueOutput) (*StatueOutput, error) {
	return &StatueOutput{s.Name, *s.cracks, *s.cracks}, nil
}

func (s *Statue) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Statue, *StatueOutput]) (*StatueOutput, error) {
	return s.Create(ctx, cfg)
}

func (*Statue) Delete(context.Context, runtime.NoConfig, *StatueOutput) error { return nil }

func (*Statue) ModifyResourcePlan(_ runtime.ResourcePlanRequest[Statue, *StatueOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	resp.KeepOutput("shine")
	return nil
}

func (s *Statue) ReplaceOn(field string, _, current Statue) bool {
	if field == "note" {
		return false
	}
	if current.Pose == "panic" {
		panic("the pose is hush")
	}
	return current.Chisel.IsNull()
}

func TestReplaceOn(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	statue := func(t *testing.T) (*driver, *int64) {
		t.Helper()
		cracks := new(int64)
		d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
			"statue": runtime.MakeResourceWith[Statue, *StatueOutput, runtime.NoConfig](func() *Statue { return &Statue{cracks: cracks} }),
		}}), "test_statue")
		d.apply(d.config(attrs{"name": str("a"), "pose": str("sits")}))
		return d, cracks
	}
	for name, tt := range map[string]struct {
		set     attrs
		cracks  int64
		replace []string
	}{
		"no change":                   {set: attrs{"pose": str("sits")}},
		"a change":                    {set: attrs{"pose": str("stands")}, replace: []string{"pose"}},
		"a change in place":           {set: attrs{"pose": str("stands"), "chisel": str("flat")}},
		"a change, chisel unknown":    {set: attrs{"pose": str("stands"), "chisel": unknown}},
		"an unknown value":            {set: attrs{"pose": unknown}, replace: []string{"pose"}},
		"an unknown value in place":   {set: attrs{"pose": unknown, "chisel": str("flat")}},
		"a change of another field":   {set: attrs{"pose": str("sits"), "note": str("x")}},
		"drift":                       {set: attrs{"pose": str("sits")}, cracks: 3, replace: []string{"cracks"}},
		"drift and an unknown value":  {set: attrs{"pose": str("sits"), "note": unknown}, cracks: 3, replace: []string{"cracks", "shine"}},
		"drift repaired in place":     {set: attrs{"pose": str("sits"), "chisel": str("flat")}, cracks: 3},
		"drift and a change":          {set: attrs{"pose": str("stands")}, cracks: 3, replace: []string{"pose", "cracks"}},
		"a change of a replace field": {set: attrs{"name": str("b"), "pose": str("sits"), "chisel": str("flat")}, replace: []string{"name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, cracks := statue(t)
			*cracks = tt.cracks
			d.refresh()
			if _, set := tt.set["name"]; !set {
				tt.set["name"] = str("a")
			}
			var got []string
			for _, path := range d.plan(d.config(tt.set)).RequiresReplace {
				got = append(got, diag.FormatPath(path))
			}
			if !slices.Equal(got, tt.replace) {
				t.Errorf("the plan requires a replacement because of %q, want %q", got, tt.replace)
			}
		})
	}
	d, _ := statue(t)
	if text := d.planFrom(d.state, d.config(attrs{"name": str("a"), "pose": str("panic")}), d.private, d.identity).Diagnostics.Error(); !strings.Contains(text, "ReplaceOn") || strings.Contains(text, "hush") {
		t.Errorf("diagnostics of a panic in ReplaceOn: %q, want the name of the method without the value of the panic", text)
	}
}

package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Meadow is a resource with blocks that are only inputs, so no read fills them in.
type Meadow struct {
	crud[Meadow, MeadowOutput] `tf:"-"`

	Name   string
	Hedges []Hedge          `tf:"hedge,block,replace"`
	Paths  []Hedge          `tf:"path,block,set"`
	Ponds  map[string]Hedge `tf:"pond,block"`
	Barn   *Barn            `tf:",block"`
	Sheds  []Barn           `tf:"shed,block"`
	Coops  []Barn           `tf:"coop,block,set"`
	Halls  map[string]Barn  `tf:"hall,block"`
}

type Hedge struct{ Kind string }

type Barn struct {
	Size  int64
	Doors []Hedge `tf:"door,block"`
}

type MeadowOutput struct{ Name string }

func (m *Meadow) Create(context.Context, runtime.NoConfig) (*MeadowOutput, error) {
	return &MeadowOutput{m.Name}, nil
}

// TestUpgradeAddsBlocks checks that an object that was stored before its type had repeated blocks is not
// changed, and not replaced, by a configuration without such blocks.
func TestUpgradeAddsBlocks(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"meadow": runtime.MakeResource[Meadow, *MeadowOutput, runtime.NoConfig](),
	}}), "test_meadow")
	resp := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: d.typeName, RawStateJSON: []byte(`{"name":"a","barn":{"size":1},"shed":[{"size":2}],"coop":[{"size":3}],"hall":{"x":{"size":4}}}`),
	})
	if resp.Diagnostics.HasErrors() {
		t.Fatal(resp.Diagnostics)
	}
	d.state = resp.UpgradedState
	barn := func(size int64) cty.Value {
		return cty.ObjectVal(attrs{"size": num(size), "door": cty.ListValEmpty(cty.Object(map[string]cty.Type{"kind": cty.String}))})
	}
	plan := d.plan(d.config(attrs{
		"name": str("a"), "barn": barn(1), "shed": cty.ListVal([]cty.Value{barn(2)}),
		"coop": cty.SetVal([]cty.Value{barn(3)}), "hall": cty.MapVal(attrs{"x": barn(4)}),
	}))
	if plan.Diagnostics.HasErrors() || len(plan.RequiresReplace) > 0 || !plan.PlannedState.RawEquals(d.state) {
		t.Errorf("got a replacement because of %v and diagnostics %v, want no change\nstate %s\nplan  %s", plan.RequiresReplace, plan.Diagnostics, show(t, d.state), show(t, plan.PlannedState))
	}
}

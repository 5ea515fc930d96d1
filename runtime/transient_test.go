package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Rollout has outputs about its last plan.
type Rollout struct{ Version string }

type RolloutOutput struct {
	Version string
	Steps   *int64   `tf:",transient"`
	Plan    []string `tf:",optional,transient"`
}

func (*Rollout) SchemaVersion() int      { return 0 }
func (*Rollout) ReplaceFields() []string { return nil }

func (r *Rollout) PlanOutputs(_ context.Context, _ runtime.NoConfig, plan *runtime.OutputPlan) error {
	plan.Set("steps", int64(1))
	plan.Set("plan", []string{"install " + r.Version})
	return nil
}

func (r *Rollout) Create(context.Context, runtime.NoConfig) (*RolloutOutput, error) {
	return &RolloutOutput{r.Version, new(int64(1)), []string{"install " + r.Version}}, nil
}

// Read returns transient outputs, which the runtime ignores. It checks that the inputs have the values
// of the outputs with the same names, even for an import.
func (r *Rollout) Read(_ context.Context, _ runtime.NoConfig, prior *RolloutOutput) (*RolloutOutput, error) {
	if r.Version != prior.Version {
		return nil, fmt.Errorf("the input is %q and the output %q", r.Version, prior.Version)
	}
	return &RolloutOutput{prior.Version, new(int64(7)), []string{"read"}}, nil
}

func (*Rollout) ImportByID(_ context.Context, _ runtime.NoConfig, id string) (*RolloutOutput, error) {
	return &RolloutOutput{Version: id}, nil
}

func (*Rollout) Moves() []runtime.Move {
	return []runtime.Move{runtime.MoveFrom("", "test_old", func(_ context.Context, old Rollout) (Rollout, *RolloutOutput, error) {
		return old, &RolloutOutput{old.Version, new(int64(7)), []string{"moved"}}, nil
	})}
}

func (r *Rollout) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Rollout, *RolloutOutput]) (*RolloutOutput, error) {
	return r.Create(ctx, cfg)
}

func (*Rollout) Delete(context.Context, runtime.NoConfig, *RolloutOutput) error { return nil }

// TestTransient checks that each run starts without the transient outputs of the last one,
// that this is not a change, and that an update plans them.
func TestTransient(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"rollout": runtime.MakeResource[Rollout, *RolloutOutput, runtime.NoConfig](),
	}}), "test_rollout")
	first := d.config(attrs{"version": str("1")})
	d.apply(first)
	if got := d.state.GetAttr("steps"); !got.RawEquals(num(1)) {
		t.Errorf("steps after the apply: %#v, want 1", got)
	}
	next := d.p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: d.typeName, RawStateJSON: []byte(`{"version": "1", "steps": 1, "plan": ["install 1"]}`),
	})
	want := cty.ObjectVal(attrs{"version": str("1"), "steps": cty.NullVal(cty.Number), "plan": cty.NullVal(cty.List(cty.String))})
	if len(next.Diagnostics) > 0 || !next.UpgradedState.RawEquals(want) {
		t.Fatalf("state of the next run: %#v, diagnostics %v, want %#v and no diagnostics", next.UpgradedState, next.Diagnostics, want)
	}
	d.state = want
	if diags := d.refresh(); len(diags) > 0 || !d.state.RawEquals(want) {
		t.Errorf("state after a read: %#v, diagnostics %v, want %#v and no diagnostics", d.state, diags, want)
	}
	if diags := d.imports("1", cty.NilVal); len(diags) > 0 || !d.state.RawEquals(want) {
		t.Errorf("state after an import: %#v, diagnostics %v, want %#v and no diagnostics", d.state, diags, want)
	}
	moved := d.p.MoveResourceState(t.Context(), provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.terraform.io/example/test", SourceTypeName: "test_old",
		SourceStateJSON: []byte(`{"version": "1"}`), TargetTypeName: d.typeName,
	})
	if len(moved.Diagnostics) > 0 || !moved.TargetState.RawEquals(want) {
		t.Errorf("state after a move: %#v, diagnostics %v, want %#v and no diagnostics", moved.TargetState, moved.Diagnostics, want)
	}
	d.noChange(first)
	plan := d.plan(d.config(attrs{"version": str("2")}))
	if got := plan.PlannedState.GetAttr("plan"); !got.RawEquals(cty.ListVal([]cty.Value{str("install 2")})) {
		t.Errorf("the planned value of plan is %#v, want one element, install 2", got)
	}
}

// TestTransientNotNull checks that an output that cannot be null cannot be transient.
func TestTransientNotNull(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"counted": runtime.MakeResource[Counted, *CountedOutput, runtime.NoConfig](),
	}})
	if err == nil || !strings.Contains(err.Error(), "Steps: a transient output must be a pointer, or tagged optional") {
		t.Errorf("New: got the error %v, want one about the transient output Steps", err)
	}
}

// Counted is a resource whose transient output cannot be null.
type Counted struct{ Name string }

type CountedOutput struct {
	Name  string
	Steps int64 `tf:",transient"`
}

func (*Counted) SchemaVersion() int      { return 0 }
func (*Counted) ReplaceFields() []string { return nil }

func (*Counted) Create(context.Context, runtime.NoConfig) (*CountedOutput, error) { return nil, nil }

func (*Counted) Read(context.Context, runtime.NoConfig, *CountedOutput) (*CountedOutput, error) {
	return nil, nil
}

func (*Counted) Update(context.Context, runtime.NoConfig, runtime.Prior[Counted, *CountedOutput]) (*CountedOutput, error) {
	return nil, nil
}

func (*Counted) Delete(context.Context, runtime.NoConfig, *CountedOutput) error { return nil }

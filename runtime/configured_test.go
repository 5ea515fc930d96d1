package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Minder records what its methods receive in addition to the inputs.
type Minder struct {
	Name  string
	Owner *string

	saw map[string][2]string
}

type MinderOutput struct {
	Name  string
	Owner *string `tf:",computed"`
}

func (m *Minder) note(ctx context.Context, method string) {
	configured := "no"
	if runtime.Configured(ctx, "owner") {
		configured = "yes"
	}
	m.saw[method] = [2]string{configured, string(runtime.Private(ctx).Get("note"))}
}

func (*Minder) SchemaVersion() int      { return 0 }
func (*Minder) ReplaceFields() []string { return nil }

func (m *Minder) Create(ctx context.Context, _ runtime.NoConfig) (*MinderOutput, error) {
	m.note(ctx, "create")
	runtime.Private(ctx).Set("note", []byte("kept"))
	return &MinderOutput{m.Name, new("ann")}, nil
}

func (m *Minder) Read(ctx context.Context, _ runtime.NoConfig, prior *MinderOutput) (*MinderOutput, error) {
	m.note(ctx, "read")
	return prior, nil
}

func (m *Minder) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Minder, *MinderOutput]) (*MinderOutput, error) {
	m.note(ctx, "update")
	return &MinderOutput{m.Name, m.Owner}, nil
}

func (m *Minder) Delete(context.Context, runtime.NoConfig, *MinderOutput) error { return nil }

func (m *Minder) EquivalentInputContext(ctx context.Context, _ string, _, _ Minder) bool {
	m.note(ctx, "equivalent")
	return false
}

func (m *Minder) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error {
	if runtime.Plans(ctx) {
		m.note(ctx, "validate plan")
	} else {
		m.note(ctx, "validate")
	}
	return nil
}

func (m *Minder) ModifyResourcePlan(req runtime.ResourcePlanRequest[Minder, *MinderOutput, runtime.NoConfig], _ *runtime.ResourcePlanResponse) error {
	m.note(req.Context(), "plan")
	runtime.Private(req.Context()).Set("note", []byte("of a plan"))
	return nil
}

// TestConfigured checks that each method that is called during the plan or the apply of an
// update can read the private data, and that Configured reports whether the configuration sets
// a value that is also in the state.
func TestConfigured(t *testing.T) {
	t.Parallel()
	saw := map[string][2]string{}
	p, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"minder": runtime.MakeResourceWith[Minder, *MinderOutput, runtime.NoConfig](func() *Minder { return &Minder{saw: saw} }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	object := func(name string, owner cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name), "owner": owner})
	}
	none := cty.NullVal(cty.String)
	state, private := cty.NullVal(object("", none).Type()), []byte(nil)
	apply := func(config, proposed cty.Value) {
		t.Helper()
		plan := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
			TypeName: "test_minder", PriorState: state, Config: config, ProposedNewState: proposed, PriorPrivate: private,
		})
		applied := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
			TypeName: "test_minder", PriorState: state, Config: config, PlannedState: plan.PlannedState, PlannedPrivate: plan.PlannedPrivate,
		})
		if plan.Diagnostics.HasErrors() || applied.Diagnostics.HasErrors() {
			t.Fatal(plan.Diagnostics, applied.Diagnostics)
		}
		state, private = applied.NewState, applied.Private
	}
	want := func(all map[string][2]string) {
		t.Helper()
		for method, saw := range saw {
			if all[method] != saw {
				t.Errorf("%s saw %q, want %q", method, saw, all[method])
			}
		}
		if len(all) != len(saw) {
			t.Errorf("%d methods ran, want %d", len(saw), len(all))
		}
		clear(saw)
	}
	apply(object("a", none), object("a", cty.UnknownVal(cty.String)))
	want(map[string][2]string{"validate plan": {"no", ""}, "validate": {"no", ""}, "create": {"no", ""}})
	apply(object("b", none), object("b", cty.StringVal("ann")))
	want(map[string][2]string{
		"equivalent": {"no", "kept"}, "plan": {"no", "kept"}, "validate plan": {"no", "of a plan"}, "validate": {"no", "kept"}, "update": {"no", "kept"},
	})
	apply(object("c", cty.StringVal("ann")), object("c", cty.StringVal("ann")))
	want(map[string][2]string{
		"equivalent": {"yes", "kept"}, "plan": {"yes", "kept"}, "validate plan": {"yes", "of a plan"}, "validate": {"yes", "kept"}, "update": {"yes", "kept"},
	})
	p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "test_minder", PriorState: state, Private: private})
	want(map[string][2]string{"read": {"no", "kept"}})
	if runtime.Configured(t.Context(), "owner") {
		t.Error("Configured returns true outside of a call")
	}
	runtime.Warn(t.Context(), "owner", "Outside", "A warning outside of a call does nothing.")
}

// slip is a resource whose Create calls Configured with a name that is not that of an attribute.
type (
	slip struct {
		crud[slip, none] `tf:"-"`
		A                masked
	}
	// masked is a string whose MarshalText returns a different text, for example for logs.
	masked string
)

func (masked) MarshalText() ([]byte, error) { return []byte("***"), nil }

func (*slip) Create(ctx context.Context, _ runtime.NoConfig) (*none, error) {
	runtime.Configured(ctx, "title")
	return &none{}, nil
}

// TestConfiguredWithWrongName checks that a create in which Configured gets a wrong name succeeds
// with a warning: after an error, the new object would be replaced. It also checks that the value
// of a type with MarshalText but without UnmarshalText is stored.
func TestConfiguredWithWrongName(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"slip": runtime.MakeResource[slip, *none, runtime.NoConfig](),
	}})
	object := cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("secret")})
	plan := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
		TypeName: "test_slip", PriorState: cty.NullVal(object.Type()), Config: object, ProposedNewState: object,
	})
	applied := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: "test_slip", PriorState: cty.NullVal(object.Type()), Config: object, PlannedState: plan.PlannedState, PlannedPrivate: plan.PlannedPrivate,
	})
	if d := applied.Diagnostics; len(d) != 1 || d[0].Severity != diag.Warning || !strings.Contains(d[0].Detail, `"title"`) {
		t.Errorf("the create has the diagnostics %v, want one warning about title", d)
	}
	if !applied.NewState.RawEquals(object) {
		t.Errorf("the create stores %#v, want %#v", applied.NewState, object)
	}
}

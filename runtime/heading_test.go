package runtime_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Headed rejects some names and sizes.
type Headed struct {
	Name string
	Size uint8
}

func (*Headed) SchemaVersion() int      { return 0 }
func (*Headed) ReplaceFields() []string { return nil }
func (*Headed) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("name", 1, 8)}
}

func (h *Headed) ValidateInputs(context.Context, runtime.NoConfig) error {
	switch h.Name {
	case "taken":
		return errors.Join(diag.AttributeErrorf("name", "it is taken"), errors.New("and there is no room"))
	case "old":
		return diag.AsWarning(diag.AttributeErrorf("name", "it is old"))
	case "later":
		return errors.Join(runtime.Defer(provider.DeferredReasonAbsentPrereq), diag.AttributeErrorf("name", "it is early"))
	case "worded":
		return diag.Diagnostic{Summary: "Own words", Path: cty.GetAttrPath("name")}
	}
	return nil
}

func (h *Headed) Create(context.Context, runtime.NoConfig) (*Headed, error) {
	if h.Name == "full" {
		return nil, diag.AttributeErrorf("name", "the disk is full")
	}
	return h, nil
}

func (*Headed) Read(_ context.Context, _ runtime.NoConfig, prior *Headed) (*Headed, error) {
	return prior, nil
}
func (*Headed) Delete(context.Context, runtime.NoConfig, *Headed) error { return nil }
func (h *Headed) Update(context.Context, runtime.NoConfig, runtime.Prior[Headed, *Headed]) (*Headed, error) {
	return h, nil
}

// TestHeadings checks the summaries of diagnostics. An error about a value has the same
// summary in every check and every RPC. The summary of other errors describes the
// failure.
func TestHeadings(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"headed": runtime.MakeResource[Headed, *Headed, runtime.NoConfig](),
	}})
	const plan, create = "Cannot plan test_headed", "Cannot create test_headed"
	for name, tt := range map[string]struct {
		name                  string
		size                  int64
		validate, plan, apply []string
	}{
		"valid":                      {name: "fine"},
		"out of range of the type":   {"fine", 256, []string{"Invalid value"}, []string{"Invalid value"}, []string{"Invalid value"}},
		"violated constraint":        {"much too long", 1, []string{"Invalid value"}, nil, []string{"Invalid value"}},
		"errors of ValidateInputs":   {"taken", 1, nil, []string{"Invalid value", plan}, []string{"Invalid value", create}},
		"error with its own summary": {"worded", 1, nil, []string{"Own words"}, []string{"Own words"}},
		"warning of ValidateInputs":  {"old", 1, nil, []string{plan}, nil},
		"deferral and error":         {"later", 1, nil, []string{plan, "Invalid value"}, []string{create, "Invalid value"}},
		"error of Create":            {"full", 1, nil, nil, []string{create}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := cty.ObjectVal(attrs{"name": str(tt.name), "size": num(tt.size)})
			none := cty.NullVal(object.Type())
			validated := p.ValidateResourceConfig(t.Context(), provider.ValidateResourceConfigRequest{TypeName: "test_headed", Config: object})
			planned := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
				TypeName: "test_headed", Config: object, PriorState: none, ProposedNewState: object,
			})
			applied := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{
				TypeName: "test_headed", Config: object, PriorState: none, PlannedState: object,
			})
			for _, rpc := range []struct {
				name string
				got  diag.Diagnostics
				want []string
			}{
				{"validate", validated.Diagnostics, tt.validate},
				{"plan", planned.Diagnostics, tt.plan},
				{"apply", applied.Diagnostics, tt.apply},
			} {
				var got []string
				for _, m := range rpc.got {
					got = append(got, m.Summary)
				}
				if !slices.Equal(got, rpc.want) {
					t.Errorf("%s: the summaries are %q, want %q: %v", rpc.name, got, rpc.want, rpc.got)
				}
			}
		})
	}
}

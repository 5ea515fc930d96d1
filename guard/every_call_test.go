package guard_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// hollow is a provider whose methods all panic.
type hollow struct{ provider.Interface }

// TestNoCallPanics checks that a panic in any method of the provider becomes an error in the
// response.
func TestNoCallPanics(t *testing.T) {
	t.Parallel()
	p := reflect.ValueOf(guard.Wrap(hollow{}))
	for i := range p.NumMethod() {
		method := p.Type().Method(i)
		if method.Name == "Unwrap" {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}[:min(1, method.Type.NumIn()-1)]
		if method.Type.NumIn() == 3 {
			args = append(args, reflect.New(method.Type.In(2)).Elem())
		}
		answer := p.Method(i).Call(args)[0]
		failed := false
		switch a := answer.Interface().(type) {
		case error:
			failed = true
		case provider.CallFunctionResponse:
			failed = a.Err != nil
		default:
			if f := answer.FieldByName("Diagnostics"); f.IsValid() {
				messages, ok := reflect.TypeAssert[diag.Diagnostics](f)
				failed = ok && messages.HasErrors()
			}
		}
		if !failed {
			t.Errorf("%s: the provider panicked, and the response has no error", method.Name)
		}
	}
}

// misspelling is a provider that returns a diagnostic about an attribute that does not exist. It does so in
// the calls about a type, if their responses have only diagnostics.
type misspelling struct{ fake }

func misspelled() diag.Diagnostics {
	return diag.Diagnostics{}.Warnf(cty.GetAttrPath("nowhere"), "no", "")
}

func (misspelling) ValidateResourceConfig(context.Context, provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return provider.ValidateResourceConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) ValidateDataResourceConfig(context.Context, provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	return provider.ValidateDataResourceConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) ValidateEphemeralResourceConfig(context.Context, provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	return provider.ValidateEphemeralResourceConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) CloseEphemeralResource(context.Context, provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	return provider.CloseEphemeralResourceResponse{Diagnostics: misspelled()}
}

func (misspelling) ValidateListResourceConfig(context.Context, provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	return provider.ValidateListResourceConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) ValidateActionConfig(context.Context, provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	return provider.ValidateActionConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) ValidateStateStoreConfig(context.Context, provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	return provider.ValidateStateStoreConfigResponse{Diagnostics: misspelled()}
}

func (misspelling) UnlockState(context.Context, provider.UnlockStateRequest) provider.UnlockStateResponse {
	return provider.UnlockStateResponse{Diagnostics: misspelled()}
}

func (misspelling) DeleteState(context.Context, provider.DeleteStateRequest) provider.DeleteStateResponse {
	return provider.DeleteStateResponse{Diagnostics: misspelled()}
}

// TestDiagnosticPathsOfEachFamily checks that the guard reports a diagnostic whose path does
// not exist in the schema of the type.
func TestDiagnosticPathsOfEachFamily(t *testing.T) {
	t.Parallel()
	p, ctx := guard.Wrap(misspelling{}), t.Context()
	for name, c := range map[string]struct {
		got  diag.Diagnostics
		typ  string
		call string
	}{
		"resource":  {p.ValidateResourceConfig(ctx, provider.ValidateResourceConfigRequest{TypeName: "fake_thing"}).Diagnostics, "fake_thing", "ValidateResourceConfig"},
		"data":      {p.ValidateDataResourceConfig(ctx, provider.ValidateDataResourceConfigRequest{TypeName: "fake_data"}).Diagnostics, "data.fake_data", "ValidateDataResourceConfig"},
		"ephemeral": {p.ValidateEphemeralResourceConfig(ctx, provider.ValidateEphemeralResourceConfigRequest{TypeName: "fake_lease"}).Diagnostics, "ephemeral.fake_lease", "ValidateEphemeralResourceConfig"},
		"close":     {p.CloseEphemeralResource(ctx, provider.CloseEphemeralResourceRequest{TypeName: "fake_lease"}).Diagnostics, "ephemeral.fake_lease", "CloseEphemeralResource"},
		"list":      {p.ValidateListResourceConfig(ctx, provider.ValidateListResourceConfigRequest{TypeName: "fake_thing"}).Diagnostics, "list.fake_thing", "ValidateListResourceConfig"},
		"action":    {p.ValidateActionConfig(ctx, provider.ValidateActionConfigRequest{ActionType: "fake_act"}).Diagnostics, "action.fake_act", "ValidateActionConfig"},
		"store":     {p.ValidateStateStoreConfig(ctx, provider.ValidateStateStoreConfigRequest{TypeName: "fake_store"}).Diagnostics, "state_store.fake_store", "ValidateStateStoreConfig"},
		"unlock":    {p.UnlockState(ctx, provider.UnlockStateRequest{TypeName: "fake_store"}).Diagnostics, "state_store.fake_store", "UnlockState"},
		"delete":    {p.DeleteState(ctx, provider.DeleteStateRequest{TypeName: "fake_store"}).Diagnostics, "state_store.fake_store", "DeleteState"},
	} {
		var summaries []string
		for _, m := range c.got {
			summaries = append(summaries, m.Summary)
		}
		want := []string{"no", "Provider bug: a diagnostic of " + c.call + " for " + c.typ + " is about an attribute that does not exist (DIAG-003)"}
		if diff := cmp.Diff(want, summaries); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

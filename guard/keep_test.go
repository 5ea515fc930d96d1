package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// sameValue compares values with cty, because cmp cannot inspect them.
var sameValue = cmp.Comparer(func(a, b cty.Value) bool { return a.RawEquals(b) })

// TestApplyNeverLosesState checks the new state that the guard returns for invalid responses to
// an apply.
func TestApplyNeverLosesState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{private: []byte("mine")}, "fake_thing")
	created := fake{}.ApplyResourceChange(t.Context(), w.applyCreate).NewState
	updated := fake{}.ApplyResourceChange(t.Context(), w.applyUpdate).NewState
	answer := func(v cty.Value) mutant {
		return applying(func(r *provider.ApplyResourceChangeResponse) { r.NewState = v })
	}
	asPlanned := cty.UnknownAsNull(w.applyCreate.PlannedState)
	tests := []struct {
		name  string
		req   provider.ApplyResourceChangeRequest
		wrong mutant
		want  cty.Value
	}{
		{"changed attribute is kept", w.applyUpdate, newState("content", cty.StringVal("mangled")), set(updated, "content", cty.StringVal("mangled"))},
		{"surplus block is kept", w.applyCreate, newState("rule", rules("r", "s")), set(created, "rule", rules("r", "s"))},
		{"unknown becomes null", w.applyCreate, newState("size", cty.UnknownVal(cty.Number)), set(created, "size", cty.NullVal(cty.Number))},
		{"wholly unknown becomes null", w.applyUpdate, answer(cty.UnknownVal(created.Type())), cty.NullVal(created.Type())},
		{"write-only becomes null", w.applyCreate, newState("token", hidden), created},
		{"nested write-only becomes null", w.applyUpdate, settings("once", hidden), updated},
		{"write-only and unknown", w.applyCreate, applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = set(set(r.NewState, "token", hidden), "size", cty.UnknownVal(cty.Number))
		}), set(created, "size", cty.NullVal(cty.Number))},
		{"update with wrong type returns the prior state", w.applyUpdate, newState("size", cty.True), w.applyUpdate.PriorState},
		{"destroy with wrong type returns the prior state", w.applyDestroy, answer(cty.EmptyObjectVal), w.applyDestroy.PriorState},
		{"create with a wrong type keeps the valid attributes", w.applyCreate, newState("mode", cty.True), set(created, "mode", cty.NullVal(cty.String))},
		{"create without valid attributes returns the plan", w.applyCreate, answer(cty.StringVal("made")), asPlanned},
		{"create with a missing attribute and a write-only value", w.applyCreate, applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = unset(set(r.NewState, "token", hidden), "tags")
		}), created},
		{"object that was not destroyed is kept", w.applyDestroy, answer(updated), updated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wrong := tt.wrong
			wrong.Interface = fake{private: []byte("mine")}
			resp := guard.Wrap(&wrong).ApplyResourceChange(t.Context(), tt.req)
			if !resp.Diagnostics.HasErrors() {
				t.Error("no error")
			}
			if diff := cmp.Diff(tt.want, resp.NewState, sameValue); diff != "" {
				t.Errorf("new state (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailedUpdateKeepsPrivateDataAndIdentity checks that a failed update whose response has no
// private data or identity gets those of the plan, without a further error, and that a failed
// create does not.
func TestFailedUpdateKeepsPrivateDataAndIdentity(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	failing := applying(func(r *provider.ApplyResourceChangeResponse) {
		r.Private, r.NewIdentity = nil, cty.NilVal
		r.NewState = set(r.NewState, "content", cty.StringVal("half way"))
		r.Diagnostics = r.Diagnostics.Errorf(nil, "disk full", "")
	})
	failing.Interface = f
	p := guard.Wrap(&failing)

	resp := p.ApplyResourceChange(t.Context(), w.applyUpdate)
	if diff := cmp.Diff([]string{"disk full"}, brokenRules(resp.Diagnostics)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if string(resp.Private) != "mine" || !resp.NewIdentity.RawEquals(w.applyUpdate.PlannedIdentity) {
		t.Errorf("got private data %q and identity %#v, want mine and %#v", resp.Private, resp.NewIdentity, w.applyUpdate.PlannedIdentity)
	}
	if got := resp.NewState.GetAttr("content").AsString(); got != "half way" {
		t.Errorf("the content is %q, want half way", got)
	}

	// The planned private data and identity of a replacement belong to the replaced object.
	w.applyCreate.PlannedPrivate, w.applyCreate.PlannedIdentity = []byte("old"), someIdentity
	resp = p.ApplyResourceChange(t.Context(), w.applyCreate)
	if resp.Private != nil || resp.NewIdentity != cty.NilVal {
		t.Errorf("a failed create kept private data %q and identity %#v, want none", resp.Private, resp.NewIdentity)
	}
}

// TestInvalidResponseReturnsPriorObject checks that the guard returns the prior object
// after an invalid response and after a panic.
func TestInvalidResponseReturnsPriorObject(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	boom := func() { panic(secret) }
	for name, wrong := range map[string]mutant{
		"wrong value": {
			read:  func(r *provider.ReadResourceResponse) { r.NewState, r.Private = set(r.NewState, "token", hidden), nil },
			plan:  func(r *provider.PlanResourceChangeResponse) { r.PlannedState = set(r.PlannedState, "token", hidden) },
			apply: func(r *provider.ApplyResourceChangeResponse) { r.NewState, r.Private = cty.EmptyObjectVal, nil },
		},
		"panic": {
			read:  func(*provider.ReadResourceResponse) { boom() },
			plan:  func(*provider.PlanResourceChangeResponse) { boom() },
			apply: func(*provider.ApplyResourceChangeResponse) { boom() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := wrong
			wrong.Interface = f
			p := guard.Wrap(&wrong)

			read := p.ReadResource(t.Context(), w.read)
			if !read.Diagnostics.HasErrors() {
				t.Error("the read has no error")
			}
			read.Diagnostics = nil
			want := provider.ReadResourceResponse{NewState: w.read.PriorState, Private: w.read.Private, Identity: w.read.CurrentIdentity}
			if diff := cmp.Diff(want, read, sameValue); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}

			plan := p.PlanResourceChange(t.Context(), w.planUpdate)
			if !plan.Diagnostics.HasErrors() {
				t.Error("the plan has no error")
			}
			plan.Diagnostics = nil
			wantPlan := provider.PlanResourceChangeResponse{
				PlannedState: w.planUpdate.PriorState, PlannedPrivate: w.planUpdate.PriorPrivate, PlannedIdentity: w.planUpdate.PriorIdentity,
			}
			if diff := cmp.Diff(wantPlan, plan, sameValue); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}

			apply := p.ApplyResourceChange(t.Context(), w.applyUpdate)
			if !apply.Diagnostics.HasErrors() {
				t.Error("the apply has no error")
			}
			apply.Diagnostics = nil
			wantApply := provider.ApplyResourceChangeResponse{
				NewState: w.applyUpdate.PriorState, Private: w.applyUpdate.PlannedPrivate, NewIdentity: w.applyUpdate.PlannedIdentity,
			}
			if diff := cmp.Diff(wantApply, apply, sameValue); diff != "" {
				t.Errorf("apply (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreatedObjectIsKeptAfterPanicInCheck checks that a created object is kept if one of
// its values panics when it is compared with the plan.
func TestCreatedObjectIsKeptAfterPanicInCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	wrong := newState("odd", oddVal())
	wrong.schema = odd().schema
	wrong.Interface = fake{}
	w.applyCreate.PlannedState = set(w.applyCreate.PlannedState, "odd", oddVal())
	w.applyCreate.PriorState = cty.NullVal(w.applyCreate.PlannedState.Type())
	resp := guard.Wrap(&wrong).ApplyResourceChange(t.Context(), w.applyCreate)
	if diff := cmp.Diff([]string{"PANIC-002"}, brokenRules(resp.Diagnostics)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if resp.NewState.IsNull() || !resp.NewState.GetAttr("size").RawEquals(cty.NumberIntVal(4)) {
		t.Errorf("the new state is %#v, want the created object with size 4", resp.NewState)
	}
}

package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func planCreate(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.PlanResourceChange(t.Context(), w.planCreate).Diagnostics
}

func planUpdate(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.PlanResourceChange(t.Context(), w.planUpdate).Diagnostics
}

func planDestroy(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.PlanResourceChange(t.Context(), w.planDestroy).Diagnostics
}

func planPlain(t *testing.T, p provider.Interface, _ world) diag.Diagnostics {
	return p.PlanResourceChange(t.Context(), newWorld(t, fake{}, "fake_plain").planUpdate).Diagnostics
}

// planSecondOfReplace sends the private data of the prior object without the object.
func planSecondOfReplace(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	req := w.planReplace
	req.PriorState = cty.NullVal(req.PriorState.Type())
	return p.PlanResourceChange(t.Context(), req).Diagnostics
}

// planUnsetPassword sends a configuration without the password.
func planUnsetPassword(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	config := set(w.planCreate.Config, "password", cty.NullVal(cty.String))
	req := changeOf("fake_thing", w.planCreate.PriorState, config, nil, cty.NilVal)
	return p.PlanResourceChange(t.Context(), req).Diagnostics
}

func planning(change func(*provider.PlanResourceChangeResponse)) mutant { return mutant{plan: change} }

// planned returns a mutant that changes one attribute of the planned object.
func planned(name string, v cty.Value) mutant {
	return planning(func(r *provider.PlanResourceChangeResponse) { r.PlannedState = set(r.PlannedState, name, v) })
}

func plannedSettings(name string, v cty.Value) mutant {
	return planning(func(r *provider.PlanResourceChangeResponse) {
		r.PlannedState = set(r.PlannedState, "settings", set(r.PlannedState.GetAttr("settings"), name, v))
	})
}

func replacing(path cty.Path) mutant {
	return planning(func(r *provider.PlanResourceChangeResponse) { r.RequiresReplace = []cty.Path{path} })
}

func planMistakes() []mistake {
	other := cty.StringVal("other" + secret)
	return []mistake{
		{rule: "PLAN-001", name: "create", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.Deferred = &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
		})},
		{rule: "PLAN-001", name: "destroy", call: planDestroy, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.Deferred = &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
		})},
		{rule: "PLAN-002", name: "null", call: planUpdate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedState = cty.NullVal(r.PlannedState.Type())
		})},
		{rule: "PLAN-002", name: "no value", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedState = cty.NilVal
		})},
		{rule: "PLAN-003", name: "attribute", call: planCreate, wrong: planned("token", hidden)},
		{rule: "PLAN-003", name: "unknown", call: planCreate, wrong: planned("token", cty.UnknownVal(cty.String))},
		{rule: "PLAN-003", name: "nested", call: planUpdate, wrong: plannedSettings("once", hidden)},
		{rule: "PLAN-003", name: "of another type", call: planUpdate, wrong: planned("token", cty.TupleVal([]cty.Value{hidden}))},
		{rule: "PLAN-004", name: "missing", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedState = unset(r.PlannedState, "size")
		})},
		{rule: "PLAN-004", name: "other type", call: planUpdate, wrong: planned("password", cty.TupleVal([]cty.Value{hidden}))},
		{rule: "PLAN-004", name: "mark", call: planUpdate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedState = set(r.PlannedState, "settings", r.PlannedState.GetAttr("settings").Mark("m"))
		})},
		{rule: "PLAN-005", name: "other value", call: planCreate, wrong: planned("content", cty.StringVal("mangled"))},
		{rule: "PLAN-005", name: "null", call: planUpdate, wrong: planned("content", cty.NullVal(cty.String))},
		{rule: "PLAN-005", name: "sensitive", call: planCreate, wrong: planned("password", other)},
		{rule: "PLAN-005", name: "sensitive map", call: planCreate, wrong: planned("secrets", cty.MapVal(values{"other" + secret: other}))},
		{rule: "PLAN-005", name: "nested", call: planCreate, wrong: plannedSettings("pin", other)},
		{rule: "PLAN-006", name: "attribute", call: planUnsetPassword, wrong: planned("password", hidden)},
		{rule: "PLAN-006", name: "unknown", call: planUnsetPassword, wrong: planned("password", cty.UnknownVal(cty.String))},
		{rule: "PLAN-007", name: "attribute", call: planCreate, wrong: planned("content", cty.UnknownVal(cty.String))},
		{rule: "PLAN-007", name: "nested", call: planCreate, wrong: plannedSettings("level", cty.UnknownVal(cty.Number))},
		{rule: "PLAN-008", name: "too many", call: planCreate, wrong: planned("rule", rules("r", "s"))},
		{rule: "PLAN-008", name: "null", call: planCreate, wrong: planned("rule", cty.NullVal(rules("r").Type()))},
		{rule: "PLAN-009", name: "misspelled", call: planUpdate, wrong: replacing(cty.GetAttrPath("paht"))},
		{rule: "PLAN-009", name: "inside a value", call: planUpdate, wrong: replacing(cty.GetAttrPath("content").GetAttr("x"))},
		{rule: "PLAN-009", name: "key of a sensitive map", call: planUpdate, wrong: replacing(cty.GetAttrPath("secrets").IndexString("no" + secret))},
		{rule: "PLAN-010", name: "update", call: planUpdate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = cty.UnknownVal(r.PlannedIdentity.Type())
		})},
		{rule: "PLAN-010", name: "create", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = identityOf(cty.UnknownVal(cty.String), cty.StringVal("/a"))
		})},
		{rule: "PLAN-010", name: "destroy", call: planDestroy, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = cty.UnknownVal(r.PlannedIdentity.Type())
		})},
		{rule: "PLAN-011", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = cty.ObjectVal(values{"host": cty.StringVal("local"), "path": cty.NumberIntVal(1)})
		})},
		{rule: "PLAN-012", call: planPlain, wrong: planning(func(r *provider.PlanResourceChangeResponse) { r.PlannedIdentity = someIdentity })},
		{rule: "PLAN-013", name: "update", call: planUpdate, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = set(r.PlannedIdentity, "path", cty.StringVal("/b"))
		})},
		{rule: "PLAN-013", name: "destroy", call: planDestroy, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = set(r.PlannedIdentity, "path", cty.StringVal("/b"))
		})},
		{rule: "PLAN-014", name: "update", call: planUpdate, wrong: planning(func(r *provider.PlanResourceChangeResponse) { r.PlannedPrivate = nil })},
		{rule: "PLAN-014", name: "destroy", call: planDestroy, wrong: planning(func(r *provider.PlanResourceChangeResponse) { r.PlannedPrivate = nil })},
		{rule: "PLAN-014", name: "second plan of a replacement", call: planSecondOfReplace, wrong: planning(func(r *provider.PlanResourceChangeResponse) { r.PlannedPrivate = nil })},
		{rule: "PLAN-015", call: planCreate, wrong: planning(func(r *provider.PlanResourceChangeResponse) { r.LegacyTypeSystem = true })},
		{rule: "PLAN-016", call: planDestroy, wrong: planning(func(r *provider.PlanResourceChangeResponse) {
			r.PlannedState = set(bodyOf("fake_thing").EmptyValue(), "password", hidden)
		})},
	}
}

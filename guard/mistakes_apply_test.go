package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// set returns object with one attribute replaced or added.
func set(object cty.Value, name string, v cty.Value) cty.Value {
	attrs := object.AsValueMap()
	attrs[name] = v
	return cty.ObjectVal(attrs)
}

// unset returns object without one attribute.
func unset(object cty.Value, name string) cty.Value {
	attrs := object.AsValueMap()
	delete(attrs, name)
	return cty.ObjectVal(attrs)
}

func rules(names ...string) cty.Value {
	blocks := make([]cty.Value, len(names))
	for i, name := range names {
		blocks[i] = cty.ObjectVal(values{"name": cty.StringVal(name), "note": cty.StringVal("chosen")})
	}
	return cty.ListVal(blocks)
}

var (
	hidden       = cty.StringVal(secret)
	someIdentity = identityOf(cty.StringVal("local"), cty.StringVal("/a"))
)

func create(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ApplyResourceChange(t.Context(), w.applyCreate).Diagnostics
}

func update(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ApplyResourceChange(t.Context(), w.applyUpdate).Diagnostics
}

func destroy(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ApplyResourceChange(t.Context(), w.applyDestroy).Diagnostics
}

// createPlain creates an object of a type without identity.
func createPlain(t *testing.T, p provider.Interface, _ world) diag.Diagnostics {
	return p.ApplyResourceChange(t.Context(), newWorld(t, fake{}, "fake_plain").applyCreate).Diagnostics
}

// refined creates an object whose planned size is at least 10.
func refined(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.applyCreate.PlannedState = set(w.applyCreate.PlannedState, "size",
		cty.UnknownVal(cty.Number).Refine().NumberRangeLowerBound(cty.NumberIntVal(10), true).NewValue())
	return create(t, p, w)
}

func applying(change func(*provider.ApplyResourceChangeResponse)) mutant {
	return mutant{apply: change}
}

// newState returns a mutant that changes one attribute of the applied object.
func newState(name string, v cty.Value) mutant {
	return applying(func(r *provider.ApplyResourceChangeResponse) { r.NewState = set(r.NewState, name, v) })
}

func settings(name string, v cty.Value) mutant {
	return applying(func(r *provider.ApplyResourceChangeResponse) {
		r.NewState = set(r.NewState, "settings", set(r.NewState.GetAttr("settings"), name, v))
	})
}

func applyMistakes() []mistake {
	keys := func(vs ...cty.Value) cty.Value {
		var all []cty.Value
		for _, v := range vs {
			all = append(all, cty.ObjectVal(values{"name": cty.StringVal("n"), "key": v}))
		}
		return cty.SetVal(all)
	}
	other := cty.StringVal("other" + secret)
	return []mistake{
		{rule: "APPLY-001", name: "part", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = set(r.NewIdentity, "host", cty.UnknownVal(cty.String))
		})},
		{rule: "APPLY-001", name: "whole", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = cty.UnknownVal(r.NewIdentity.Type())
		})},
		{rule: "APPLY-002", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = unset(r.NewIdentity, "host")
		})},
		{rule: "APPLY-003", call: createPlain, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = someIdentity
		})},
		{rule: "APPLY-004", name: "attribute missing", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = unset(r.NewState, "mode")
		})},
		{rule: "APPLY-004", name: "attribute too many", call: update, wrong: newState("extra", hidden)},
		{rule: "APPLY-004", name: "other type", call: update, wrong: newState("size", cty.StringVal("4"))},
		{rule: "APPLY-004", name: "other type inside", call: update, wrong: settings("pin", cty.EmptyTupleVal)},
		{rule: "APPLY-004", name: "no value", call: create, wrong: newState("size", cty.NilVal)},
		{rule: "APPLY-004", name: "not an object", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = hidden
		})},
		{rule: "APPLY-005", name: "attribute", call: create, wrong: newState("token", hidden)},
		{rule: "APPLY-005", name: "nested", call: update, wrong: settings("once", hidden)},
		{rule: "APPLY-005", name: "unknown", call: update, wrong: newState("token", cty.UnknownVal(cty.String))},
		{rule: "APPLY-006", name: "attribute", call: create, wrong: newState("size", cty.UnknownVal(cty.Number))},
		{rule: "APPLY-006", name: "in a map", call: create, wrong: newState("tags", cty.MapVal(values{"a": cty.UnknownVal(cty.String)}))},
		{rule: "APPLY-006", name: "in a sensitive map", call: create, wrong: newState("secrets", cty.MapVal(values{secret: cty.UnknownVal(cty.String)}))},
		{rule: "APPLY-006", name: "in a set", call: create, wrong: newState("keys", keys(hidden, cty.UnknownVal(cty.String)))},
		{rule: "APPLY-006", name: "in a list", call: create, wrong: newState("words", cty.ListVal([]cty.Value{cty.UnknownVal(cty.String)}))},
		{rule: "APPLY-006", name: "nested", call: update, wrong: settings("note", cty.UnknownVal(cty.String))},
		{rule: "APPLY-006", name: "whole", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = cty.UnknownVal(r.NewState.Type())
		})},
		{rule: "APPLY-004", name: "unknown of no type", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = cty.DynamicVal
		})},
		{rule: "APPLY-007", name: "create", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = cty.NullVal(r.NewState.Type())
		})},
		{rule: "APPLY-007", name: "no value", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = cty.NilVal
		})},
		{rule: "APPLY-008", name: "other value", call: create, wrong: newState("content", cty.StringVal("mangled"))},
		{rule: "APPLY-008", name: "null", call: update, wrong: newState("content", cty.NullVal(cty.String))},
		{rule: "APPLY-008", name: "in a list", call: update, wrong: newState("words", cty.ListVal([]cty.Value{cty.StringVal("x"), cty.StringVal("z")}))},
		{rule: "APPLY-008", name: "in a map", call: update, wrong: newState("tags", cty.MapVal(values{"a": cty.StringVal("1")}))},
		{rule: "APPLY-008", name: "nested", call: update, wrong: settings("level", cty.NumberIntVal(2))},
		{rule: "APPLY-008", name: "sensitive", call: update, wrong: newState("password", other)},
		{rule: "APPLY-008", name: "in a sensitive map", call: update, wrong: newState("secrets", cty.MapVal(values{secret: other}))},
		{rule: "APPLY-008", name: "key of a sensitive map", call: update, wrong: newState("secrets", cty.MapVal(values{"other" + secret: hidden}))},
		{rule: "APPLY-008", name: "sensitive nested", call: update, wrong: settings("pin", other)},
		{rule: "APPLY-008", name: "sensitive in a set", call: update, wrong: newState("keys", keys(other))},
		{rule: "APPLY-009", call: refined},
		{rule: "APPLY-010", name: "block too many", call: create, wrong: newState("rule", rules("r", "s"))},
		{rule: "APPLY-011", call: destroy, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = set(bodyOf("fake_thing").EmptyValue(), "password", hidden)
		})},
		{rule: "APPLY-012", name: "create", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = cty.NilVal
		})},
		{rule: "APPLY-012", name: "all null", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = identityOf(cty.NullVal(cty.String), cty.NullVal(cty.String))
		})},
		{rule: "APPLY-013", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = set(r.NewIdentity, "host", cty.StringVal("elsewhere"))
		})},
		{rule: "APPLY-014", call: update, wrong: applying(func(r *provider.ApplyResourceChangeResponse) { r.Private = nil })},
		{rule: "APPLY-015", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) { r.LegacyTypeSystem = true })},
		{rule: "APPLY-016", call: create, wrong: applying(func(r *provider.ApplyResourceChangeResponse) {
			r.NewIdentity = set(r.NewIdentity, "path", cty.NullVal(cty.String))
		})},
	}
}

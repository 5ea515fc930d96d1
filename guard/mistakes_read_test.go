package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func read(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ReadResource(t.Context(), w.read).Diagnostics
}

func readPlain(t *testing.T, p provider.Interface, _ world) diag.Diagnostics {
	return p.ReadResource(t.Context(), newWorld(t, fake{}, "fake_plain").read).Diagnostics
}

// readDeferrable sends a request that allows deferral.
func readDeferrable(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.read.ClientCapabilities.DeferralAllowed = true
	return read(t, p, w)
}

func reading(change func(*provider.ReadResourceResponse)) mutant { return mutant{read: change} }

func wasRead(name string, v cty.Value) mutant {
	return reading(func(r *provider.ReadResourceResponse) { r.NewState = set(r.NewState, name, v) })
}

func wasDeferred(name string, v cty.Value) mutant {
	return reading(func(r *provider.ReadResourceResponse) {
		r.NewState = set(r.NewState, name, v)
		r.Deferred = &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
	})
}

func readMistakes() []mistake {
	return []mistake{
		{rule: "READ-001", call: read, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Deferred = &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
		})},
		{rule: "READ-002", call: read, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "path", cty.UnknownVal(cty.String))
		})},
		{rule: "READ-003", call: read, wrong: reading(func(r *provider.ReadResourceResponse) { r.Identity = cty.StringVal("/a") })},
		{rule: "READ-004", call: readPlain, wrong: reading(func(r *provider.ReadResourceResponse) { r.Identity = someIdentity })},
		{rule: "READ-005", call: read, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "host", cty.StringVal("elsewhere"))
		})},
		{rule: "READ-005", name: "to null", call: read, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "host", cty.NullVal(cty.String))
		})},
		{rule: "READ-006", call: read, wrong: reading(func(r *provider.ReadResourceResponse) { r.Identity = cty.NilVal })},
		{rule: "READ-007", name: "attribute", call: read, wrong: wasRead("content", cty.UnknownVal(cty.String))},
		{rule: "READ-007", name: "in a sensitive map", call: read, wrong: wasRead("secrets", cty.MapVal(values{secret: cty.UnknownVal(cty.String)}))},
		{rule: "READ-007", name: "of another type", call: read, wrong: wasRead("content", cty.DynamicVal)},
		{rule: "READ-008", call: read, wrong: wasRead("content", cty.True)},
		{rule: "READ-008", name: "mark", call: read, wrong: wasRead("words", cty.ListVal([]cty.Value{hidden.Mark("m")}))},
		{rule: "READ-003", name: "mark", call: read, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "path", hidden.Mark("m"))
		})},
		{rule: "READ-008", name: "deferred", call: readDeferrable, wrong: wasDeferred("content", cty.True)},
		{rule: "READ-009", call: read, wrong: wasRead("token", hidden)},
		{rule: "READ-009", name: "deferred", call: readDeferrable, wrong: wasDeferred("token", hidden)},
		{rule: "READ-010", call: read, wrong: reading(func(r *provider.ReadResourceResponse) { r.Private = nil })},
		{rule: "READ-011", call: read, wrong: reading(func(r *provider.ReadResourceResponse) { r.NewState = cty.NilVal })},
		{rule: "READ-012", call: readImported, wrong: reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "path", cty.NullVal(cty.String))
		})},
	}
}

// readImported sends no identity, as after an import by ID.
func readImported(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.read.CurrentIdentity = cty.NullVal(w.read.CurrentIdentity.Type())
	return read(t, p, w)
}

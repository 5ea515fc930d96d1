package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func importID(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ImportResourceState(t.Context(), w.importID).Diagnostics
}

func importIdentity(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ImportResourceState(t.Context(), w.importIdentity).Diagnostics
}

func importPlain(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.importID.TypeName = "fake_plain"
	return importID(t, p, w)
}

func importing(change func(*provider.ImportResourceStateResponse)) mutant {
	return mutant{imports: change}
}

// imported returns a mutant that changes the imported object.
func imported(change func(*provider.ImportedResource)) mutant {
	return importing(func(r *provider.ImportResourceStateResponse) { change(&r.ImportedResources[0]) })
}

func importedState(name string, v cty.Value) mutant {
	return imported(func(r *provider.ImportedResource) { r.State = set(r.State, name, v) })
}

func importMistakes() []mistake {
	return []mistake{
		{rule: "IMPORT-001", call: importID, wrong: importing(func(r *provider.ImportResourceStateResponse) {
			r.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		})},
		{rule: "IMPORT-002", call: importID, wrong: importing(func(r *provider.ImportResourceStateResponse) { r.ImportedResources = nil })},
		{rule: "IMPORT-003", call: importID, wrong: importing(func(r *provider.ImportResourceStateResponse) {
			r.ImportedResources = append(r.ImportedResources, r.ImportedResources[0])
		})},
		{rule: "IMPORT-004", call: importID, wrong: imported(func(r *provider.ImportedResource) { r.TypeName = "" })},
		{rule: "IMPORT-005", call: importID, wrong: imported(func(r *provider.ImportedResource) { r.TypeName = "fake_plain" })},
		{rule: "IMPORT-006", call: importIdentity, wrong: imported(func(r *provider.ImportedResource) { r.Identity = cty.NilVal })},
		{rule: "IMPORT-007", call: importID, wrong: importedState("token", hidden)},
		{rule: "IMPORT-008", name: "by id", call: importID, wrong: imported(func(r *provider.ImportedResource) { r.State = cty.NullVal(r.State.Type()) })},
		{rule: "IMPORT-008", name: "by identity", call: importIdentity, wrong: imported(func(r *provider.ImportedResource) { r.State = cty.NilVal })},
		{rule: "IMPORT-009", call: importID, wrong: importedState("content", cty.True)},
		{rule: "IMPORT-010", call: importID, wrong: importedState("content", cty.UnknownVal(cty.String))},
		{rule: "IMPORT-011", call: importIdentity, wrong: imported(func(r *provider.ImportedResource) {
			r.Identity = set(r.Identity, "host", cty.UnknownVal(cty.String))
		})},
		{rule: "IMPORT-012", call: importIdentity, wrong: imported(func(r *provider.ImportedResource) { r.Identity = cty.EmptyObjectVal })},
		{rule: "IMPORT-013", call: importPlain, wrong: imported(func(r *provider.ImportedResource) { r.Identity = someIdentity })},
	}
}

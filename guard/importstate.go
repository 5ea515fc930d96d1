package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcImport = "ImportResourceState"

const (
	importDeferred           ID = "IMPORT-001"
	importNone               ID = "IMPORT-002"
	importMany               ID = "IMPORT-003"
	importUntyped            ID = "IMPORT-004"
	importOtherType          ID = "IMPORT-005"
	importIdentityMissing    ID = "IMPORT-006"
	importSecret             ID = "IMPORT-007"
	importNull               ID = "IMPORT-008"
	importMisfit             ID = "IMPORT-009"
	importUnknown            ID = "IMPORT-010"
	importIdentityUnknown    ID = "IMPORT-011"
	importIdentityMisfit     ID = "IMPORT-012"
	importIdentityUnexpected ID = "IMPORT-013"
)

func importRules() []Rule {
	return []Rule{
		{
			ID: importDeferred, RPC: rpcImport, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "A client that cannot put off an import refuses it, or takes the answer for the truth.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else answer or return an error.",
			Source: "§12, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		},
		{
			ID: importNone, RPC: rpcImport, Subject: SubjectAnswer, Title: "has no object and no error",
			Why:    "An import block is refused, and the import command says that it imported something.",
			Fix:    "Return one object, or an error that says why there is none.",
			Source: "§12, both: \"Import returned no resources\"",
		},
		{
			ID: importMany, RPC: rpcImport, Subject: SubjectAnswer, Title: "has more than one object",
			Why:    "An import block imports one object to one address.",
			Fix:    "Return the object that was asked for and no others.",
			Source: "§12, both: \"Multiple import states not supported\"",
		},
		{
			ID: importUntyped, RPC: rpcImport, Subject: SubjectState, Title: "was imported without a type name",
			Why:    "Nobody can tell what the object is.",
			Fix:    "Set TypeName of the imported resource to that of the request.",
			Source: "§12, both: \"import of … didn't set type\"",
		},
		{
			ID: importOtherType, RPC: rpcImport, Subject: SubjectState, Title: "was imported as an object of another type",
			Why:    "Both engines read the object with the schema of the type that was asked for, and do not notice.",
			Fix:    "Set TypeName of the imported resource to that of the request.",
			Source: "§12 and §22, neither engine: the object is garbled",
		},
		{
			ID: importIdentityMissing, RPC: rpcImport, Subject: SubjectIdentity, Title: "is missing after an import by identity",
			Why:    "Terraform refuses it, for it is what the object was asked for by.",
			Fix:    "Return the identity of the object; that of the request will do.",
			Source: "§12, Terraform: \"import of … didn't return an identity\"",
		},
		{
			ID: importSecret, RPC: rpcImport, Subject: SubjectAttribute, Title: "is write-only, but has a value after an import",
			Why:    "The value would be written into the state, which is what write-only is there to prevent.",
			Fix:    "Set write-only attributes to null in the imported state.",
			Source: "§12 and §22, Terraform: \"Import returned a non-null value for a write-only attribute\"",
		},
		{
			ID: importNull, RPC: rpcImport, Subject: SubjectState, Title: "is null after an import",
			Why:    "Terraform refuses it for imports by id and OpenTofu for all, since there is nothing that could be read.",
			Fix:    "Return enough of the object for ReadResource to find it, or an error.",
			Source: "§12 and §22, the stricter of both: \"Import returned null resource\"",
		},
		{
			ID: importMisfit, RPC: rpcImport, Subject: SubjectAttribute, Title: "does not fit the schema after an import",
			Why:    "An object of another type than the schema's can be given neither to ReadResource nor into state.",
			Fix:    "Return all attributes of the schema, no others, each of its type; null where it is not known yet.",
			Source: "§12, both cannot decode it",
		},
		{
			ID: importUnknown, RPC: rpcImport, Subject: SubjectAttribute, Title: "is unknown after an import",
			Why:    "ReadResource is given the imported state, and a prior state has no unknown values.",
			Fix:    "Set what is not known yet to null; ReadResource completes it.",
			Source: "§12 and §21, neither engine: left to ReadResource",
		},
		{
			ID: importIdentityUnknown, RPC: rpcImport, Subject: SubjectIdentity, Title: "is unknown after an import",
			Why:    "ReadResource is given the imported identity, and a stored identity has no unknown values.",
			Fix:    "Set what is not known yet to null; ReadResource completes it.",
			Source: "§12 and §8, Terraform in the read that follows: \"Provider produced invalid identity\"",
		},
		{
			ID: importIdentityMisfit, RPC: rpcImport, Subject: SubjectIdentity, Title: "does not fit the identity schema after an import",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Return all attributes of the identity schema, no others, each of its type.",
			Source: "§12 and §8, Terraform in the read that follows: \"Provider produced an identity that doesn't match the schema\"",
		},
		{
			ID: importIdentityUnexpected, RPC: rpcImport, Subject: SubjectIdentity, Title: "came with an import, but the type has no identity schema",
			Why:    "No engine can use an identity without its schema.",
			Fix:    "Declare the identity schema, or return no identity.",
			Source: "§20 and §22, the framework: \"Unexpected ImportState Response\"",
		},
	}
}

// ImportResourceState is part of [provider.Interface].
func (g *guarded) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	resp, crash := ask(ctx, g, rpcImport, req.TypeName, g.inner.ImportResourceState, req)
	if crash != nil {
		return provider.ImportResourceStateResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcImport, req.TypeName, func() { judgeImport(t, &req, &resp) }); crash != nil {
		return provider.ImportResourceStateResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeImport(t *resourceType, req *provider.ImportResourceStateRequest, resp *provider.ImportResourceStateResponse) {
	r := newReport(rpcImport, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if !failed && resp.Deferred != nil && !req.ClientCapabilities.DeferralAllowed {
		r.add(importDeferred, nil, "%s of %s was put off for the reason %q.", rpcImport, t.name, resp.Deferred.Reason)
	}
	if !failed && resp.Deferred == nil && r.lawfulSchema(t) {
		switch n := len(resp.ImportedResources); {
		case n == 0:
			r.add(importNone, nil, "%s of %s answered neither an object nor an error.", rpcImport, t.name)
		case n > 1:
			r.add(importMany, nil, "%s of %s answered %d objects.", rpcImport, t.name, n)
		default:
			r.imported(t, req, &resp.ImportedResources[0])
		}
	}
	if r.broken() {
		resp.ImportedResources, resp.Deferred = nil, nil
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// imported judges the one object. An object of another type cannot be judged by
// the schema of this one.
func (r *report) imported(t *resourceType, req *provider.ImportResourceStateRequest, object *provider.ImportedResource) {
	switch object.TypeName {
	case t.name:
	case "":
		r.add(importUntyped, nil, "%s of %s answered an object with an empty TypeName.", rpcImport, t.name)
		return
	default:
		r.add(importOtherType, nil, "%s of %s answered an object with the TypeName %q.", rpcImport, t.name, object.TypeName)
		return
	}
	usable := r.identity(t, object.Identity, identityRules{importIdentityUnknown, importIdentityMisfit, importIdentityUnexpected})
	if usable && t.identity != nil && !req.Identity.IsNull() && t.identity.absent(object.Identity) {
		r.add(importIdentityMissing, nil, "%s of %s was given an identity and answered none.", rpcImport, t.name)
	}
	found := r.state(t, object.State, stateRules{importUnknown, importMisfit, importSecret})
	if found == lawful && object.State.IsNull() {
		r.add(importNull, nil, "%s of %s answered an object without state.", rpcImport, t.name)
	}
}

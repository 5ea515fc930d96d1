package guard

import (
	"context"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// importRules are the rules for ImportResourceState. An object of a different type cannot be
// checked with the schema of the requested type.
var importRules = []Rule{
	{
		ID: "IMPORT-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "A client that cannot defer an import rejects the response, or uses it as the object.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise return the object or an error.",
		Source: "§12, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "IMPORT-002", Subject: SubjectResponse, Title: "has neither an object nor an error",
		Why:    "An import block is rejected, and the import command reports success.",
		Fix:    "Return one object, or an error with the reason why there is none.",
		Source: "§12, both: \"Import returned no resources\"",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if len(x.imported()) == 0 {
				x.add(nil, "%s of %s returned neither an object nor an error.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "IMPORT-003", Subject: SubjectResponse, Title: "has more than one object",
		Why:    "An import block imports one object to one address.",
		Fix:    "Return only the requested object.",
		Source: "§12, both: \"Multiple import states not supported\"",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if n := len(x.imported()); n > 1 {
				x.add(nil, "%s of %s returned %d objects.", x.rpc, x.typeName, n)
			}
		},
	},
	{
		ID: "IMPORT-004", Subject: SubjectState, Title: "was imported without a type name",
		Why:    "The type of the object is not known.",
		Fix:    "Set TypeName of the imported resource to that of the request.",
		Source: "§12, both: \"import of … didn't set type\"",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if objects := x.imported(); len(objects) == 1 && objects[0].TypeName == "" {
				x.add(nil, "%s of %s returned an object with an empty TypeName.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "IMPORT-005", Subject: SubjectState, Title: "was imported as an object of another type",
		Why:    "Both engines decode the object with the schema of the requested type, and accept it if it fits.",
		Fix:    "Set TypeName of the imported resource to that of the request.",
		Source: "§12 and §22, neither engine: the type name is not compared",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if objects := x.imported(); len(objects) == 1 && objects[0].TypeName != "" && objects[0].TypeName != x.typeName {
				x.add(nil, "%s of %s returned an object with the TypeName %q.", x.rpc, x.typeName, objects[0].TypeName)
			}
		},
	},
	{
		ID: "IMPORT-006", Subject: SubjectIdentity, Title: "is missing after an import by identity",
		Why:    "Terraform rejects an object without the identity that it was imported by.",
		Fix:    "Return the identity of the object; that of the request is enough.",
		Source: "§12, Terraform: \"import of … didn't return an identity\"",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if x.importedRightType() && !x.request.(*provider.ImportResourceStateRequest).Identity.IsNull() {
				x.identityMissing()
			}
		},
	},
	{
		ID: "IMPORT-007", Subject: SubjectAttribute, Title: "is write-only, but has a value after an import",
		Why:    "The value would be written to the state, which write-only attributes must prevent.",
		Fix:    "Set write-only attributes to null in the imported state.",
		Source: "§12 and §22, Terraform: \"Import returned a non-null value for a write-only attribute\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "IMPORT-008", Subject: SubjectState, Title: "is null after an import",
		Why:    "In import blocks, Terraform rejects null for imports by ID and OpenTofu for all, because there is nothing to read.",
		Fix:    "Return enough of the object for ReadResource to find it, or an error.",
		Source: "§12 and §22, the stricter of the two: \"Import returned null resource\"",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			if x.importedRightType() {
				x.objectNull()
			}
		},
	},
	{
		ID: "IMPORT-009", Subject: SubjectAttribute, Title: "does not match the schema after an import",
		Why:    "An object whose type is not that of the schema can neither be passed to ReadResource nor be stored.",
		Fix:    "Return all attributes of the schema, no others, each with its type; null for those that are not known yet.",
		Source: "§12, both fail to decode it",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "IMPORT-010", Subject: SubjectAttribute, Title: "is unknown after an import",
		Why:    "The imported state is the prior state of ReadResource, which has no unknown values.",
		Fix:    "Set attributes that are not known yet to null; ReadResource completes them.",
		Source: "§12 and §21, neither engine: left to ReadResource",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "IMPORT-011", Subject: SubjectIdentity, Title: "is unknown after an import",
		Why:    "ReadResource gets the imported identity, and a stored identity has no unknown values.",
		Fix:    "Set attributes that are not known yet to null; ReadResource completes them.",
		Source: "§12 and §8, Terraform in the read that follows: \"Provider produced invalid identity\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "IMPORT-012", Subject: SubjectIdentity, Title: "does not match the identity schema after an import",
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Return all attributes of the identity schema, no others, each with its type.",
		Source: "§12 and §8, Terraform in the read that follows: \"Provider produced an identity that doesn't match the schema\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "IMPORT-013", Subject: SubjectIdentity, Title: "was returned by an import, but the type has no identity schema",
		Why:    "No engine can use an identity without its schema.",
		Fix:    "Declare the identity schema, or return no identity.",
		Source: "§20 and §22, plugin-framework: \"Unexpected ImportState Response\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).identityUnexpected,
	},
}

var importCall = call[provider.ImportResourceStateRequest, provider.ImportResourceStateResponse]{
	rpc: "ImportResourceState", family: managed, rules: importRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ImportResourceState,
	diagnostics: func(resp *provider.ImportResourceStateResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.ImportResourceStateRequest, resp *provider.ImportResourceStateResponse) {
		x.mayDefer, x.deferred = req.ClientCapabilities.DeferralAllowed, resp.Deferred
		if x.importedRightType() {
			x.object, x.identity = resp.ImportedResources[0].State, resp.ImportedResources[0].Identity
		}
	},
	inspect: (*exchange).storedProblem,
}

// ImportResourceState implements [provider.Interface].
func (g *guarded) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	return run(ctx, g, &importCall, req.TypeName, req)
}

func (x *exchange) imported() []provider.ImportedResource {
	return x.response.(*provider.ImportResourceStateResponse).ImportedResources
}

// importedRightType reports whether one object of the requested type was imported.
func (x *exchange) importedRightType() bool {
	objects := x.imported()
	return len(objects) == 1 && objects[0].TypeName == x.typeName
}

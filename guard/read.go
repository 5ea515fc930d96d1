package guard

import (
	"context"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

var readRules = []Rule{
	{
		ID: "READ-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "A client that cannot defer a change would use the response as the real state, or reject it.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise return the object or an error.",
		Source: "§8, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "READ-002", Subject: SubjectIdentity, Title: "is unknown after a read",
		Why:    "An identity is stored in the state, which has no unknown values.",
		Fix:    "Give each attribute of the identity a value or null.",
		Source: "§8, Terraform: \"Provider produced invalid identity\"; OpenTofu cannot encode it",
		when:   validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "READ-003", Subject: SubjectIdentity, Title: "does not match the identity schema after a read",
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Return all attributes of the identity schema, no others, each with its type.",
		Source: "§8, Terraform: \"Provider produced an identity that doesn't match the schema\"",
		when:   validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "READ-004", Subject: SubjectIdentity, Title: "was returned by a read, but the type has no identity schema",
		Why:    "Terraform crashes and OpenTofu drops it.",
		Fix:    "Declare the identity schema, or return no identity.",
		Source: "§8 and §22, Terraform panics",
		when:   validSchema, check: (*exchange).identityUnexpected,
	},
	{
		ID: "READ-005", Subject: SubjectIdentity, Title: "changed in a read",
		Why:    "The identity locates the object; a changed identity locates a different object.",
		Fix:    "Return the identity from the request, or declare with MutableIdentity that it may change. (Setting attributes that were null is not a change.)",
		Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		when:   succeeded | notDeferred | validSchema | exists, check: (*exchange).identityChanged,
	},
	{
		ID: "READ-006", Subject: SubjectIdentity, Title: "is missing after a read",
		Why:    "Clients store exactly what a read returns: without an identity, the stored one is lost.",
		Fix:    "Return the identity with each object that exists.",
		Source: "§8, §20 and §22, both SDKs: \"Missing Resource Identity After Read\"",
		when:   succeeded | notDeferred | validSchema | exists, check: (*exchange).identityMissing,
	},
	{
		ID: "READ-007", Subject: SubjectAttribute, Title: "is unknown after a read",
		Why:    "A read returns an existing object; Terraform rejects unknown values and OpenTofu replaces them with null.",
		Fix:    "Give each attribute a value or null.",
		Source: "§8, Terraform: \"Provider produced invalid object\"",
		when:   succeeded | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "READ-008", Subject: SubjectAttribute, Title: "does not match the schema after a read",
		Why:    "Neither engine can store an object whose type is not that of the schema.",
		Fix:    "Return all attributes of the schema, no others, each with its type.",
		Source: "§8, both: \"Provider produced invalid object\"",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "READ-009", Subject: SubjectAttribute, Title: "is write-only, but has a value after a read",
		Why:    "The value would be written to the state, which write-only attributes must prevent.",
		Fix:    "Set write-only attributes to null in the new state.",
		Source: "§8, both: \"Provider produced invalid object\", \"Invalid provider response\"",
		when:   succeeded | validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "READ-010", Subject: SubjectPrivate, Title: "was dropped by a read",
		Why:    "Clients store exactly what a read returns: without private data, the stored data is lost.",
		Fix:    "Return the private data from the request, or an empty slice that is not nil to drop it on purpose.",
		Source: "§8 and §22, neither engine: the data is lost",
		when:   succeeded | notDeferred | validSchema | exists, check: (*exchange).privateDropped,
	},
	{
		ID: "READ-011", Subject: SubjectState, Title: "is missing from the response to a read",
		Why:    "Both engines then assume that the object is gone, and plan to create it again.",
		Fix:    "Set NewState; if the object is gone, set NewState to null of the type of the schema.",
		Source: "§1 and §8, both: no value counts as null, and null as deleted",
		when:   succeeded | validSchema, check: func(x *exchange) {
			if x.object == cty.NilVal {
				x.add(nil, "%s of %s returned no state and no error.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "READ-012", Subject: SubjectIdentity, Title: "is required for import, but null after a read",
		Why:    "The object could not be imported with the identity that is stored for it.",
		Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
		Source: "neither engine: null is accepted",
		when:   succeeded | notDeferred | validSchema | exists, check: (*exchange).identityIncomplete,
	},
}

var readCall = call[provider.ReadResourceRequest, provider.ReadResourceResponse]{
	rpc: "ReadResource", family: managed, rules: readRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ReadResource,
	diagnostics: func(resp *provider.ReadResourceResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
		x.mayDefer, x.priorIdentity, x.priorPrivate = req.ClientCapabilities.DeferralAllowed, req.CurrentIdentity, req.Private
		x.deferred, x.object, x.identity, x.private = resp.Deferred, resp.NewState, resp.Identity, resp.Private
		x.kept = resp.NewState
	},
	inspect: (*exchange).storedProblem,
	// The prior object is kept.
	refuse: func(_ *resourceType, req *provider.ReadResourceRequest, _ *provider.ReadResourceResponse) provider.ReadResourceResponse {
		return provider.ReadResourceResponse{NewState: req.PriorState, Private: req.Private, Identity: req.CurrentIdentity}
	},
}

// ReadResource implements [provider.Interface].
func (g *guarded) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return run(ctx, g, &readCall, req.TypeName, req)
}

// dataRules are the rules for ReadDataSource. Of the object of a deferred response, only the type is
// checked.
var dataRules = []Rule{
	{
		ID: "DATA-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "A client that cannot defer has no data to continue with.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise return data or an error.",
		Source: "§14, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"; OpenTofu ignores it",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "DATA-002", Subject: SubjectResponse, Title: "has neither data nor an error",
		Why:    "Configuration refers to attributes of the data, which null does not have.",
		Fix:    "Return an object; if nothing was found, return an error.",
		Source: "§14, both: \"Provider produced null object\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectNull,
	},
	{
		ID: "DATA-003", Subject: SubjectAttribute, Title: "is unknown after data was read",
		Why:    "Data is read when all its inputs are known, so the value would never become known.",
		Fix:    "Give each attribute a value or null.",
		Source: "§14, both: \"Provider produced invalid object\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "DATA-004", Subject: SubjectAttribute, Title: "does not match the schema after data was read",
		Why:    "Neither engine can use an object whose type is not that of the schema.",
		Fix:    "Return all attributes of the schema, no others, each with its type.",
		Source: "§14, both: \"Provider produced invalid object\"",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "DATA-005", Subject: SubjectAttribute, Title: "differs from the configuration after data was read",
		Why:    "References to a configured attribute silently get a value that differs from the configuration.",
		Fix:    "Return configured values unchanged; declare the attribute as computed if the provider sets it when it is not configured, and return the found value in another attribute.",
		Source: "§14 and §21, neither engine: never compared",
		when:   succeeded | notDeferred | validSchema, check: violates(ofValue),
	},
}

var dataCall = call[provider.ReadDataSourceRequest, provider.ReadDataSourceResponse]{
	rpc: "ReadDataSource", family: dataSources, rules: dataRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ReadDataSource,
	diagnostics: func(resp *provider.ReadDataSourceResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.ReadDataSourceRequest, resp *provider.ReadDataSourceResponse) {
		x.mayDefer, x.config = req.ClientCapabilities.DeferralAllowed, req.Config
		x.deferred, x.object = resp.Deferred, resp.State
	},
	inspect: (*exchange).storedProblem,
	compare: (*exchange).configViolations,
}

// ReadDataSource implements [provider.Interface].
func (g *guarded) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return run(ctx, g, &dataCall, req.TypeName, req)
}

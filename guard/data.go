package guard

import (
	"context"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Only the type of the object in a deferred response is checked.
var dataRules = []Rule{
	{
		ID: "DATA-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "A client that cannot defer has no data to continue with.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else return data or an error.",
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
		Why:    "References to a configured attribute silently get another value than the configuration has.",
		Fix:    "Return configured values unchanged; declare the attribute as computed if the provider sets it when it is not configured, and return what was found in an attribute of its own.",
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

// ReadDataSource is part of [provider.Interface].
func (g *guarded) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return run(ctx, g, &dataCall, req.TypeName, req)
}

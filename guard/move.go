package guard

import (
	"context"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

var moveRules = []Rule{
	{
		ID: "MOVE-001", Subject: SubjectAttribute, Title: "is unknown after a move",
		Why:    "A state has no unknown values: Terraform refuses the move and OpenTofu replaces the value with null.",
		Fix:    "Give each attribute of the target state a value or null.",
		Source: "§13, Terraform: \"Provider returned invalid value\"",
		when:   succeeded | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "MOVE-002", Subject: SubjectAttribute, Title: "does not match the schema after a move",
		Why:    "Neither engine can store an object whose type is not that of the schema.",
		Fix:    "Return all attributes of the schema of the target type, no others, each with its type.",
		Source: "§13, OpenTofu: \"Invalid resource state transformation\"; Terraform cannot decode it",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "MOVE-003", Subject: SubjectAttribute, Title: "is write-only, but has a value after a move",
		Why:    "The value would be written to the state, which is what write-only prevents.",
		Fix:    "Set write-only attributes to null in the target state.",
		Source: "§13, both: \"Provider returned invalid value\", \"Invalid provider response\"",
		when:   succeeded | validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "MOVE-004", Subject: SubjectState, Title: "is null after a move",
		Why:    "Both engines accept it and silently forget the object, though it still exists.",
		Fix:    "Return the moved object, or an error with the reason why it cannot be moved.",
		Source: "§13, neither engine: the object is lost",
		when:   succeeded | validSchema, check: (*exchange).objectNull,
	},
	{
		ID: "MOVE-005", Subject: SubjectIdentity, Title: "is unknown after a move",
		Why:    "An identity is stored in the state, which has no unknown values.",
		Fix:    "Give each attribute of the identity a value or null, or return no identity and leave it to ReadResource.",
		Source: "§13, Terraform: \"Provider produced invalid identity\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "MOVE-006", Subject: SubjectIdentity, Title: "does not match the identity schema after a move",
		Why:    "An identity of another type can be neither stored nor compared.",
		Fix:    "Return all attributes of the identity schema of the target type, no others, each with its type.",
		Source: "§13 and §8, cannot be decoded",
		when:   succeeded | validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "MOVE-007", Subject: SubjectIdentity, Title: "was returned by a move, but the type has no identity schema",
		Why:    "No engine can use an identity without its schema.",
		Fix:    "Declare the identity schema, or return no identity.",
		Source: "§20 and §22, the framework: \"Unexpected Move State Response\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnexpected,
	},
	{
		ID: "MOVE-008", Subject: SubjectSchema, Title: "does not declare that moves are supported, but they are",
		Why:    "Terraform refuses each move before it calls the provider.",
		Fix:    "Set ServerCapabilities.MoveResourceState in the response to GetProviderSchema.",
		Source: "§2 and §13, Terraform: \"Unsupported `moved` across resource types\"",
		when:   succeeded | validSchema, check: func(x *exchange) {
			if !x.t.moves {
				x.add(nil, "%s to %s succeeded.", x.rpc, x.typeName)
			}
		},
	},
}

var moveCall = call[provider.MoveResourceStateRequest, provider.MoveResourceStateResponse]{
	rpc: "MoveResourceState", family: managed, rules: moveRules, pool: new(sync.Pool),
	invoke:      provider.Interface.MoveResourceState,
	diagnostics: func(resp *provider.MoveResourceStateResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, _ *provider.MoveResourceStateRequest, resp *provider.MoveResourceStateResponse) {
		x.object, x.identity = resp.TargetState, resp.TargetIdentity
	},
	inspect: (*exchange).storedProblem,
}

// MoveResourceState is part of [provider.Interface].
func (g *guarded) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	return run(ctx, g, &moveCall, req.TargetTypeName, req)
}

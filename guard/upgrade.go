package guard

import (
	"bytes"
	"context"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

var upgradeRules = []Rule{
	{
		ID: "UPGRADE-001", Subject: SubjectAttribute, Title: "is unknown after the upgrade of a state",
		Why:    "A state has no unknown values: Terraform rejects the upgrade and OpenTofu replaces the value with null.",
		Fix:    "Give each attribute of the upgraded state a value or null.",
		Source: "§6, Terraform: \"Invalid resource state upgrade\"",
		when:   succeeded | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "UPGRADE-002", Subject: SubjectAttribute, Title: "does not match the schema after the upgrade of a state",
		Why:    "Neither engine can store an object whose type is not that of the schema.",
		Fix:    "Upgrade to the current schema: return all its attributes, no others, each with its type.",
		Source: "§6, both: \"Invalid resource state upgrade\", \"Invalid resource state transformation\"",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "UPGRADE-003", Subject: SubjectAttribute, Title: "is write-only, but has a value after the upgrade of a state",
		Why:    "The value would be written to the state, which write-only attributes must prevent.",
		Fix:    "Set write-only attributes to null in the upgraded state.",
		Source: "§6, both: \"Invalid resource state upgrade\", \"Invalid provider response\"",
		when:   succeeded | validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "UPGRADE-004", Subject: SubjectState, Title: "is null after the upgrade of a state",
		Why:    "Both engines accept null and silently forget the object, though it still exists.",
		Fix:    "Return the upgraded object, or an error with the reason why it cannot be upgraded.",
		Source: "§6 and §22, neither engine: the object is lost",
		when:   succeeded | validSchema, check: (*exchange).storedStateLost,
	},
}

var upgradeCall = call[provider.UpgradeResourceStateRequest, provider.UpgradeResourceStateResponse]{
	rpc: "UpgradeResourceState", family: managed, rules: upgradeRules, pool: new(sync.Pool),
	invoke:      provider.Interface.UpgradeResourceState,
	diagnostics: func(resp *provider.UpgradeResourceStateResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, _ *provider.UpgradeResourceStateRequest, resp *provider.UpgradeResourceStateResponse) {
		x.object = resp.UpgradedState
	},
	inspect: (*exchange).storedProblem,
}

// UpgradeResourceState implements [provider.Interface].
func (g *guarded) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	return run(ctx, g, &upgradeCall, req.TypeName, req)
}

// storedStateLost reports that an upgrade returned null for a stored state. It uses the
// JSON if the request has both forms of the state.
func (x *exchange) storedStateLost() {
	req := x.request.(*provider.UpgradeResourceStateRequest)
	stored := hasJSON(req.RawStateJSON) || len(req.RawStateJSON) == 0 && len(req.RawStateFlatmap) > 0
	if stored && x.objectProblem() == none && x.object.IsNull() {
		x.add(nil, "There was a stored state of version %d, and %s of %s returned null.", req.Version, x.rpc, x.typeName)
	}
}

// hasJSON reports whether a stored JSON document has a value other than null.
func hasJSON(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

var upgradeIdentityRules = []Rule{
	{
		ID: "IDENTITY-001", Subject: SubjectIdentity, Title: "is unknown after its upgrade",
		Why:    "An identity is stored in the state, which has no unknown values.",
		Fix:    "Give each attribute of the upgraded identity a value or null.",
		Source: "§7, Terraform: \"Invalid resource identity upgrade\"; OpenTofu cannot encode it",
		when:   succeeded | validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "IDENTITY-002", Subject: SubjectIdentity, Title: "does not match the identity schema after its upgrade",
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Upgrade to the current identity schema: return all its attributes, no others, each with its type.",
		Source: "§7, Terraform: \"Invalid resource identity upgrade\"",
		when:   succeeded | validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "IDENTITY-003", Subject: SubjectIdentity, Title: "is null after its upgrade",
		Why:    "OpenTofu rejects null, and Terraform loses the identity of the object.",
		Fix:    "Return the upgraded identity, or an error with the reason why it cannot be upgraded.",
		Source: "§7 and §22, OpenTofu: \"Provider returned no identity after upgrade\"",
		when:   succeeded | validSchema, check: (*exchange).storedIdentityLost,
	},
	{
		ID: "IDENTITY-004", Subject: SubjectIdentity, Title: "was upgraded, but the type has no identity schema",
		Why:    "No engine can use an identity without its schema.",
		Fix:    "Declare the identity schema, or return an error for the upgrade.",
		Source: "§7 and §22, OpenTofu: \"No identity schema found\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnexpected,
	},
}

var upgradeIdentityCall = call[provider.UpgradeResourceIdentityRequest, provider.UpgradeResourceIdentityResponse]{
	rpc: "UpgradeResourceIdentity", family: managed, rules: upgradeIdentityRules, pool: new(sync.Pool),
	invoke:      provider.Interface.UpgradeResourceIdentity,
	diagnostics: func(resp *provider.UpgradeResourceIdentityResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, _ *provider.UpgradeResourceIdentityRequest, resp *provider.UpgradeResourceIdentityResponse) {
		x.identity = resp.UpgradedIdentity
	},
}

// UpgradeResourceIdentity implements [provider.Interface].
func (g *guarded) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	return run(ctx, g, &upgradeIdentityCall, req.TypeName, req)
}

// storedIdentityLost reports that an upgrade returned null for a stored identity. If the
// type has a new identity schema, Terraform sends no data, and null is valid.
func (x *exchange) storedIdentityLost() {
	req := x.request.(*provider.UpgradeResourceIdentityRequest)
	if x.identity.IsNull() && hasJSON(req.RawIdentityJSON) {
		x.add(nil, "There was a stored identity of version %d, and %s of %s returned null.", req.Version, x.rpc, x.typeName)
	}
}

var moveRules = []Rule{
	{
		ID: "MOVE-001", Subject: SubjectAttribute, Title: "is unknown after a move",
		Why:    "A state has no unknown values: Terraform rejects the move and OpenTofu replaces the value with null.",
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
		Why:    "The value would be written to the state, which write-only attributes must prevent.",
		Fix:    "Set write-only attributes to null in the target state.",
		Source: "§13, both: \"Provider returned invalid value\", \"Invalid provider response\"",
		when:   succeeded | validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "MOVE-004", Subject: SubjectState, Title: "is null after a move",
		Why:    "Both engines accept null and silently forget the object, though it still exists.",
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
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Return all attributes of the identity schema of the target type, no others, each with its type.",
		Source: "§13 and §8, cannot be decoded",
		when:   succeeded | validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "MOVE-007", Subject: SubjectIdentity, Title: "was returned by a move, but the type has no identity schema",
		Why:    "No engine can use an identity without its schema.",
		Fix:    "Declare the identity schema, or return no identity.",
		Source: "§20 and §22, plugin-framework: \"Unexpected Move State Response\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnexpected,
	},
	{
		ID: "MOVE-008", Subject: SubjectSchema, Title: "does not declare that moves are supported, but they are",
		Why:    "Terraform rejects each move before it calls the provider.",
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

// MoveResourceState implements [provider.Interface].
func (g *guarded) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	return run(ctx, g, &moveCall, req.TargetTypeName, req)
}

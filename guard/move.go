package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcMove = "MoveResourceState"

const (
	moveUnknown            ID = "MOVE-001"
	moveMisfit             ID = "MOVE-002"
	moveSecret             ID = "MOVE-003"
	moveNull               ID = "MOVE-004"
	moveIdentityUnknown    ID = "MOVE-005"
	moveIdentityMisfit     ID = "MOVE-006"
	moveIdentityUnexpected ID = "MOVE-007"
	moveUndeclared         ID = "MOVE-008"
)

func moveRules() []Rule {
	return []Rule{
		{
			ID: moveUnknown, RPC: rpcMove, Subject: SubjectAttribute, Title: "is unknown after a move",
			Why:    "A state has no unknown values: Terraform refuses the move and OpenTofu makes the value null.",
			Fix:    "Give each attribute of the target state a value or null.",
			Source: "§13, Terraform: \"Provider returned invalid value\"",
		},
		{
			ID: moveMisfit, RPC: rpcMove, Subject: SubjectAttribute, Title: "does not fit the schema after a move",
			Why:    "Neither engine can store an object of another type than the schema's.",
			Fix:    "Return all attributes of the target type's schema, no others, each of its type.",
			Source: "§13, OpenTofu: \"Invalid resource state transformation\"; Terraform cannot decode it",
		},
		{
			ID: moveSecret, RPC: rpcMove, Subject: SubjectAttribute, Title: "is write-only, but has a value after a move",
			Why:    "The value would be written into the state, which is what write-only is there to prevent.",
			Fix:    "Set write-only attributes to null in the target state.",
			Source: "§13, both: \"Provider returned invalid value\", \"Invalid provider response\"",
		},
		{
			ID: moveNull, RPC: rpcMove, Subject: SubjectState, Title: "is gone after a move",
			Why:    "Both engines accept it and forget the object without a word, though it still exists.",
			Fix:    "Return the moved object, or an error that says why it cannot be moved.",
			Source: "§13, neither engine: the object is lost",
		},
		{
			ID: moveIdentityUnknown, RPC: rpcMove, Subject: SubjectIdentity, Title: "is unknown after a move",
			Why:    "An identity is stored with the state, which has no unknown values.",
			Fix:    "Give each attribute of the identity a value or null, or return no identity and let ReadResource do it.",
			Source: "§13, Terraform: \"Provider produced invalid identity\"",
		},
		{
			ID: moveIdentityMisfit, RPC: rpcMove, Subject: SubjectIdentity, Title: "does not fit the identity schema after a move",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Return all attributes of the target type's identity schema, no others, each of its type.",
			Source: "§13 and §8, cannot be decoded",
		},
		{
			ID: moveIdentityUnexpected, RPC: rpcMove, Subject: SubjectIdentity, Title: "came with a move, but the type has no identity schema",
			Why:    "No engine can use an identity without its schema.",
			Fix:    "Declare the identity schema, or return no identity.",
			Source: "§20 and §22, the framework: \"Unexpected Move State Response\"",
		},
		{
			ID: moveUndeclared, RPC: rpcMove, Subject: SubjectSchema, Title: "does not say that moves are answered, though they are",
			Why:    "Terraform refuses each move before it asks the provider.",
			Fix:    "Set ServerCapabilities.MoveResourceState in the answer to GetProviderSchema.",
			Source: "§2 and §13, Terraform: \"Unsupported `moved` across resource types\"",
		},
	}
}

// MoveResourceState is part of [provider.Interface].
func (g *guarded) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) (resp provider.MoveResourceStateResponse) {
	resp, crash := ask(ctx, g, rpcMove, req.TargetTypeName, g.inner.MoveResourceState, req)
	if crash != nil {
		return provider.MoveResourceStateResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TargetTypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcMove, req.TargetTypeName, func() { judgeMove(t, &resp) }); crash != nil {
		return provider.MoveResourceStateResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeMove(t *resourceType, resp *provider.MoveResourceStateResponse) {
	r := newReport(rpcMove, t)
	r.diagnostics(t, resp.Diagnostics)
	if !resp.Diagnostics.HasErrors() && r.lawfulSchema(t) {
		found := r.state(t, resp.TargetState, stateRules{moveUnknown, moveMisfit, moveSecret})
		if found == lawful && resp.TargetState.IsNull() {
			r.add(moveNull, nil, "%s to %s answered null without an error.", rpcMove, t.name)
		}
		r.identity(t, resp.TargetIdentity, identityRules{moveIdentityUnknown, moveIdentityMisfit, moveIdentityUnexpected})
		if !t.moves {
			r.add(moveUndeclared, nil, "%s to %s succeeded.", rpcMove, t.name)
		}
	}
	if r.broken() {
		resp.TargetState, resp.TargetPrivate, resp.TargetIdentity = cty.NilVal, nil, cty.NilVal
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

package guard

const rpcApply = "ApplyResourceChange"

const (
	applyIdentityUnknown    ID = "APPLY-001"
	applyIdentityMisfit     ID = "APPLY-002"
	applyIdentityUnexpected ID = "APPLY-003"
	applyMisfit             ID = "APPLY-004"
	applySecret             ID = "APPLY-005"
	applyUnknown            ID = "APPLY-006"
	applyNull               ID = "APPLY-007"
	applyChanged            ID = "APPLY-008"
	applyOutOfRange         ID = "APPLY-009"
	applyBlock              ID = "APPLY-010"
	applyDestroyed          ID = "APPLY-011"
	applyIdentityMissing    ID = "APPLY-012"
	applyIdentityChanged    ID = "APPLY-013"
	applyPrivateLost        ID = "APPLY-014"
	applyLegacy             ID = "APPLY-015"
	applyIdentityIncomplete ID = "APPLY-016"
)

func applyRules() []Rule {
	return []Rule{
		{
			ID: applyIdentityUnknown, RPC: rpcApply, Subject: SubjectIdentity, Title: "is unknown after it was applied",
			Why:    "An identity is stored with the state, which has no unknown values.",
			Fix:    "Give each attribute of the identity a value or null.",
			Source: "§11.1 (1), Terraform: \"Provider produced invalid identity\"",
		},
		{
			ID: applyIdentityMisfit, RPC: rpcApply, Subject: SubjectIdentity, Title: "does not fit the identity schema after it was applied",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Return all attributes of the identity schema, no others, each of its type.",
			Source: "§11.1 (1), Terraform: \"Provider produced an identity that doesn't match the schema\"",
		},
		{
			ID: applyIdentityUnexpected, RPC: rpcApply, Subject: SubjectIdentity, Title: "came with an apply, but the type has no identity schema",
			Why:    "Terraform refuses it and OpenTofu drops it.",
			Fix:    "Declare the identity schema, or return no identity.",
			Source: "§11.1 (2), Terraform: \"identity type not found for resource type\"",
		},
		{
			ID: applyMisfit, RPC: rpcApply, Subject: SubjectAttribute, Title: "does not fit the schema after it was applied",
			Why:    "Terraform keeps the prior object instead, and OpenTofu forgets it altogether.",
			Fix:    "Return all attributes of the schema, no others, each of its type.",
			Source: "§11.1 (4, 5), both: \"Provider produced invalid object\"",
		},
		{
			ID: applySecret, RPC: rpcApply, Subject: SubjectAttribute, Title: "is write-only, but has a value after it was applied",
			Why:    "OpenTofu writes the value into the state, and Terraform forgets a created object because of it.",
			Fix:    "Set write-only attributes to null in the new state.",
			Source: "§11.1 (6) and §22, both: \"Provider produced invalid object\", \"Invalid provider response\"",
		},
		{
			ID: applyUnknown, RPC: rpcApply, Subject: SubjectAttribute, Title: "is unknown after it was applied",
			Why:    "After an apply everything is known; both engines store null in its place.",
			Fix:    "Give each attribute that was planned to be unknown a value or null.",
			Source: "§11.1 (7), both: \"Provider returned invalid result object after apply\"",
		},
		{
			ID: applyNull, RPC: rpcApply, Subject: SubjectState, Title: "is gone after a create or an update",
			Why:    "Only a destroy may end in null; otherwise the object could not be found again.",
			Fix:    "Return the object, or an error that says why there is none.",
			Source: "§11.1 (10), both: \"Provider returned invalid result object after apply\"",
		},
		{
			ID: applyChanged, RPC: rpcApply, Subject: SubjectAttribute, Title: "changed after it was planned",
			Why:    "What a plan says is known was approved by a user, and other resources were computed with it.",
			Fix:    "Return what was planned, or plan the attribute to be unknown if it cannot be foreseen.",
			Source: "§11.2 (C1 to C6, C8), both: \"Provider produced inconsistent result after apply\"",
		},
		{
			ID: applyOutOfRange, RPC: rpcApply, Subject: SubjectAttribute, Title: "became a value that its plan had ruled out",
			Why:    "An unknown value that is planned with a range, such as never null, is a promise too.",
			Fix:    "Plan the attribute to be unknown without that refinement, or return a value within it.",
			Source: "§11.2 (C3), both: \"Provider produced inconsistent result after apply\"",
		},
		{
			ID: applyBlock, RPC: rpcApply, Subject: SubjectBlock, Title: "appeared or vanished after it was planned",
			Why:    "Blocks that were planned are those that the user configured.",
			Fix:    "Return the blocks that were planned; what cannot be foreseen belongs into a computed attribute.",
			Source: "§11.2 (C7), both: \"Provider produced inconsistent result after apply\"",
		},
		{
			ID: applyDestroyed, RPC: rpcApply, Subject: SubjectState, Title: "is still there after it was destroyed",
			Why:    "A destroy without an error must end in null; both engines keep the object and fail.",
			Fix:    "Return null once the object is gone, or an error that says why it could not be deleted.",
			Source: "§11.1 (9), both: \"Provider returned invalid result object after apply\"",
		},
		{
			ID: applyIdentityMissing, RPC: rpcApply, Subject: SubjectIdentity, Title: "is missing after a create or an update",
			Why:    "Clients store exactly what an apply returns: an identity that is left out is forgotten.",
			Fix:    "Return the identity with each object that exists.",
			Source: "§20 and §22, both SDKs: \"Missing Resource Identity After Create\", \"… After Update\"",
		},
		{
			ID: applyIdentityChanged, RPC: rpcApply, Subject: SubjectIdentity, Title: "changed in an update",
			Why:    "An identity is what an object is found by; if it changes, another object is found.",
			Fix:    "Return the planned identity, or declare with MutableIdentity that it may change. (To complete attributes that were null is no change.)",
			Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		},
		{
			ID: applyPrivateLost, RPC: rpcApply, Subject: SubjectPrivate, Title: "got lost in an update",
			Why:    "Clients store exactly what an apply returns: private data that is left out is erased. (What a create is given belongs to the object that it replaces.)",
			Fix:    "Return the planned private data, or an empty slice that is not nil to say that it is no longer needed.",
			Source: "§11.3 and §22, neither engine: the data is lost",
		},
		{
			ID: applyLegacy, RPC: rpcApply, Subject: SubjectAnswer, Title: "asks for an exemption from the rules",
			Why:    "With it Terraform and OpenTofu only log what is inconsistent, and users find out later.",
			Fix:    "Do not set LegacyTypeSystem; it is for providers that were written before there were rules.",
			Source: "§11.1 (legacy), neither engine",
		},
		{
			ID: applyIdentityIncomplete, RPC: rpcApply, Subject: SubjectIdentity, Title: "is required for import, but null after a create or an update",
			Why:    "The object could not be imported by the identity that is stored for it.",
			Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
			Source: "neither engine: what is stored is never checked",
		},
	}
}

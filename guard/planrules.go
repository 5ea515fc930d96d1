package guard

const rpcPlan = "PlanResourceChange"

const (
	planDeferred           ID = "PLAN-001"
	planNull               ID = "PLAN-002"
	planSecret             ID = "PLAN-003"
	planMisfit             ID = "PLAN-004"
	planValue              ID = "PLAN-005"
	planUnset              ID = "PLAN-006"
	planUnknown            ID = "PLAN-007"
	planBlock              ID = "PLAN-008"
	planReplacePath        ID = "PLAN-009"
	planIdentityUnknown    ID = "PLAN-010"
	planIdentityMisfit     ID = "PLAN-011"
	planIdentityUnexpected ID = "PLAN-012"
	planIdentityChanged    ID = "PLAN-013"
	planPrivateLost        ID = "PLAN-014"
	planLegacy             ID = "PLAN-015"
	planDestroyed          ID = "PLAN-016"
)

func planRules() []Rule {
	return []Rule{
		{
			ID: planDeferred, RPC: rpcPlan, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "A client that cannot put off a change would take the answer for the plan, or refuse it.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else plan or return an error.",
			Source: "§9.2 (1) and §9.6, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		},
		{
			ID: planNull, RPC: rpcPlan, Subject: SubjectState, Title: "was planned to be null though it is configured",
			Why:    "Only the removal of the configuration may destroy an object.",
			Fix:    "Plan an object for each create and update.",
			Source: "§9.3 (root), both: \"Provider produced invalid plan\"",
		},
		{
			ID: planSecret, RPC: rpcPlan, Subject: SubjectAttribute, Title: "is write-only, but has a value in the plan",
			Why:    "The value would be written into the plan file and then into the state, which is what write-only is there to prevent.",
			Fix:    "Set write-only attributes to null in the planned state, even where they are unknown; take them from the configuration in apply.",
			Source: "§9.2 (3), both: \"Provider produced invalid plan\", \"Invalid provider response\"",
		},
		{
			ID: planMisfit, RPC: rpcPlan, Subject: SubjectAttribute, Title: "does not fit the schema in the plan",
			Why:    "Neither engine can keep an object of another type than the schema's.",
			Fix:    "Plan all attributes of the schema, no others, each of its type.",
			Source: "§9.2 (4), both: \"Provider produced invalid plan\"",
		},
		{
			ID: planValue, RPC: rpcPlan, Subject: SubjectAttribute, Title: "was planned with another value than configured",
			Why:    "Users rely on getting what they configured, and other resources were computed with it.",
			Fix:    "Plan the configured value. If the prior value means the same, plan the prior value exactly as it was.",
			Source: "§9.3 (A1, A2, A8, A9), both: \"Provider produced invalid plan\"",
		},
		{
			ID: planUnset, RPC: rpcPlan, Subject: SubjectAttribute, Title: "was planned with a value, but is not configured and not computed",
			Why:    "Only a computed attribute may have a value that the configuration does not give.",
			Fix:    "Plan null, or make the attribute Computed in the schema.",
			Source: "§9.3 (A4 to A6), both: \"Provider produced invalid plan\"",
		},
		{
			ID: planUnknown, RPC: rpcPlan, Subject: SubjectAttribute, Title: "was planned to be unknown though it is configured",
			Why:    "A configured value is known to the user and has to appear in the plan, also where the attribute is computed as well.",
			Fix:    "Plan the configured value; plan unknown only where the configuration is null.",
			Source: "§9.3 (A9), both: \"Provider produced invalid plan\"",
		},
		{
			ID: planBlock, RPC: rpcPlan, Subject: SubjectBlock, Title: "was planned otherwise than configured",
			Why:    "Blocks are the user's alone: their number, keys and order are those of the configuration.",
			Fix:    "Plan the blocks that are configured; choose values only for computed attributes in them.",
			Source: "§9.3 (B1 to B8), the stricter of both: \"Provider produced invalid plan\"",
		},
		{
			ID: planReplacePath, RPC: rpcPlan, Subject: SubjectAttribute, Title: "requires replacement, but does not exist",
			Why:    "A path that leads nowhere in the prior and in the planned state is refused, and the replacement with it.",
			Fix:    "Correct the path; below an attribute that is null on both sides, name the attribute itself.",
			Source: "§9.2 (7) and §9.4, both: \"Provider produced invalid plan\"",
		},
		{
			ID: planIdentityUnknown, RPC: rpcPlan, Subject: SubjectIdentity, Title: "is unknown in the plan",
			Why:    "Terraform accepts it for a create and a replacement only, and OpenTofu cannot store it at all.",
			Fix:    "Plan no identity as long as it is not known, and return it from apply.",
			Source: "§9.2 (8), §9.6 and §22, the stricter of both: \"Provider produced invalid identity\"",
		},
		{
			ID: planIdentityMisfit, RPC: rpcPlan, Subject: SubjectIdentity, Title: "does not fit the identity schema in the plan",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Plan all attributes of the identity schema, no others, each of its type.",
			Source: "§9.2 (9), §9.5 and §9.6, Terraform: \"Provider produced an identity that doesn't match the schema\"",
		},
		{
			ID: planIdentityUnexpected, RPC: rpcPlan, Subject: SubjectIdentity, Title: "was planned, but the type has no identity schema",
			Why:    "Terraform refuses it and OpenTofu drops it.",
			Fix:    "Declare the identity schema, or plan no identity.",
			Source: "§9.2 (10), Terraform: \"unknown identity type\"",
		},
		{
			ID: planIdentityChanged, RPC: rpcPlan, Subject: SubjectIdentity, Title: "is planned to change",
			Why:    "An identity is what an object is found by; if it changes, another object is found.",
			Fix:    "Plan the prior identity, require replacement, or declare with MutableIdentity that it may change. (To complete attributes that were null is no change.)",
			Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		},
		{
			ID: planPrivateLost, RPC: rpcPlan, Subject: SubjectPrivate, Title: "got lost in the plan",
			Why:    "Apply is given exactly what was planned. In the second plan of a replacement the prior private data is that of the object to delete, and the deletion is given what this plan returns.",
			Fix:    "Return the request's private data, or an empty slice that is not nil to say that it is no longer needed.",
			Source: "§9.1, §9.6 and §22, neither engine: the data is lost",
		},
		{
			ID: planLegacy, RPC: rpcPlan, Subject: SubjectAnswer, Title: "asks for an exemption from the rules",
			Why:    "With it Terraform and OpenTofu only log what is inconsistent, and users find out later.",
			Fix:    "Do not set LegacyTypeSystem; it is for providers that were written before there were rules.",
			Source: "§9.2 (legacy), neither engine",
		},
		{
			ID: planDestroyed, RPC: rpcPlan, Subject: SubjectState, Title: "was planned to stay though it is to be destroyed",
			Why:    "A destroy has one lawful plan, and both engines refuse others.",
			Fix:    "Plan null when the proposed state is null.",
			Source: "§9.6, both: \"Provider produced invalid plan\"",
		},
	}
}

package guard

import "github.com/posixform/terraform-provider-posix/diag"

const (
	rpcValidateList = "ValidateListResourceConfig"
	rpcList         = "ListResource"
)

const (
	listNoIdentity         ID = "LIST-001"
	listIdentityUnknown    ID = "LIST-002"
	listIdentityMisfit     ID = "LIST-003"
	listIdentityIncomplete ID = "LIST-004"
	listTwice              ID = "LIST-005"
	listUnknown            ID = "LIST-006"
	listMisfit             ID = "LIST-007"
	listSecret             ID = "LIST-008"
	listUnasked            ID = "LIST-009"
	listNoObject           ID = "LIST-010"
	listTooMany            ID = "LIST-011"
	listNoName             ID = "LIST-012"
	listNothing            ID = "LIST-013"
)

func listRules() []Rule {
	return []Rule{
		{
			ID: listNoIdentity, RPC: rpcList, Subject: SubjectIdentity, Title: "is missing from a result",
			Why:    "Terraform ends the search with an error, or drops the result in silence if there was any warning before.",
			Fix:    "Give each result an identity with at least one value; a result without one may have messages and nothing else.",
			Source: "§17, Terraform: \"missing identity data in ListResource event\"",
		},
		{
			ID: listIdentityUnknown, RPC: rpcList, Subject: SubjectIdentity, Title: "is unknown in a result",
			Why:    "What was found is imported by its identity, which has to be known for that.",
			Fix:    "Give each attribute of the identity a value or null.",
			Source: "§17, neither engine: not checked",
		},
		{
			ID: listIdentityMisfit, RPC: rpcList, Subject: SubjectIdentity, Title: "does not fit the identity schema in a result",
			Why:    "Terraform cannot read it and ends the search.",
			Fix:    "Return all attributes of the identity schema, no others, each of its type.",
			Source: "§17, Terraform cannot decode it",
		},
		{
			ID: listIdentityIncomplete, RPC: rpcList, Subject: SubjectIdentity, Title: "is required for import, but null in a result",
			Why:    "What was found could not be imported.",
			Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
			Source: "§17, neither engine: not checked",
		},
		{
			ID: listTwice, RPC: rpcList, Subject: SubjectIdentity, Title: "is in two results of one search",
			Why:    "Configuration that is generated from the results would import one object twice, which engines refuse.",
			Fix:    "Send each object once; if pages of a remote list overlap, remember what was sent.",
			Source: "§17, neither engine: not checked",
		},
		{
			ID: listUnknown, RPC: rpcList, Subject: SubjectAttribute, Title: "is unknown in an object that was found",
			Why:    "The object exists, and configuration is generated from it, which has no text for an unknown value.",
			Fix:    "Give each attribute a value or null.",
			Source: "§17, neither engine: not checked",
		},
		{
			ID: listMisfit, RPC: rpcList, Subject: SubjectAttribute, Title: "does not fit the schema in an object that was found",
			Why:    "Terraform cannot read it and ends the search.",
			Fix:    "Return all attributes of the managed resource's schema, no others, each of its type.",
			Source: "§17, Terraform cannot decode it",
		},
		{
			ID: listSecret, RPC: rpcList, Subject: SubjectAttribute, Title: "is write-only, but has a value in an object that was found",
			Why:    "The value would be shown, and written into generated configuration.",
			Fix:    "Set write-only attributes to null.",
			Source: "§17, neither engine: not checked",
		},
		{
			ID: listUnasked, RPC: rpcList, Subject: SubjectAnswer, Title: "has an object that was not asked for",
			Why:    "It is dropped; reading it may have cost a request for each result.",
			Fix:    "Set ResourceObject only if IncludeResourceObject is true in the request.",
			Source: "§17, Terraform: ignored",
		},
		{
			ID: listNoObject, RPC: rpcList, Subject: SubjectAnswer, Title: "lacks an object that was asked for",
			Why:    "Terraform takes it for null, and generates configuration from nothing.",
			Fix:    "Set ResourceObject if IncludeResourceObject is true; where it cannot be read, say why with a message of the result.",
			Source: "§17, neither engine: null; plugin-framework warns (§20)", Severity: diag.Warning,
		},
		{
			ID: listTooMany, RPC: rpcList, Subject: SubjectAnswer, Title: "has more results than were asked for",
			Why:    "Terraform stops to read at the limit, and the provider goes on for nobody.",
			Fix:    "End the search when Limit results were sent; a Limit of zero or less is no bound.",
			Source: "§17, Terraform: the stream is cut off",
		},
		{
			ID: listNoName, RPC: rpcList, Subject: SubjectAnswer, Title: "has a result without a name", Severity: diag.Warning,
			Why:    "The name is what the user chooses by.",
			Fix:    "Set DisplayName to what people call the object, or to its id.",
			Source: "§17, neither engine: shown as it is",
		},
		{
			ID: listNothing, RPC: rpcList, Subject: SubjectAnswer, Title: "has neither results nor an error",
			Why:    "It is taken for a search that found nothing.",
			Fix:    "Set Results, to a sequence of nothing if nothing was found.",
			Source: "§17, neither engine: nothing found",
		},
	}
}

package guard

const rpcCall = "CallFunction"

const (
	callNothing  ID = "FUNC-001"
	callMisfit   ID = "FUNC-002"
	callUnknown  ID = "FUNC-003"
	callImpure   ID = "FUNC-004"
	callArgument ID = "FUNC-005"
	callText     ID = "FUNC-006"
	callMissing  ID = "FUNC-007"
)

func functionRules() []Rule {
	return []Rule{
		{
			ID: callNothing, RPC: rpcCall, Subject: SubjectResult, Title: "is missing, and there is no error",
			Why:    "Both engines take nothing for null, which hides that there is no result.",
			Fix:    "Set Result; if the result is null, set it to a null of the declared type.",
			Source: "§16, neither engine: no result counts as null",
		},
		{
			ID: callMisfit, RPC: rpcCall, Subject: SubjectResult, Title: "is not of the type that the function declares",
			Why:    "Both engines read the result by the declared type.",
			Fix:    "Return a value of the declared type, or declare what is returned; cty.DynamicPseudoType stands for any.",
			Source: "§16, both cannot decode it",
		},
		{
			ID: callUnknown, RPC: rpcCall, Subject: SubjectResult, Title: "is unknown although all arguments are known",
			Why:    "A function is called again only with other arguments, so the value would never become known.",
			Fix:    "Compute the whole result, or return an error.",
			Source: "§16 and §22, neither engine: accepted",
		},
		{
			ID: callImpure, RPC: rpcCall, Subject: SubjectResult, Title: "is another one than for the same arguments before",
			Why:    "Functions are called in each phase, and what a plan promises must be what apply computes.",
			Fix:    "Use nothing but the arguments: no time, no random numbers, no files, no order of a Go map; what depends on these is a data source.",
			Source: "§16, Terraform: \"function returned an inconsistent result\"; OpenTofu does not compare",
		},
		{
			ID: callArgument, RPC: rpcCall, Subject: SubjectAnswer, Title: "has an error of an argument that was not given",
			Why:    "Engines show the argument to the user, and there is none at that index.",
			Fix:    "Count from zero in the arguments of the call, each variadic one on its own.",
			Source: "§16, neither engine",
		},
		{
			ID: callText, RPC: rpcCall, Subject: SubjectAnswer, Title: "has an error without a text",
			Why:    "The user learns that the call failed, but not why.",
			Fix:    "Say what is wrong with which argument, and what would be right.",
			Source: "§16, neither engine: shown as it is",
		},
		{
			ID: callMissing, RPC: rpcCall, Subject: SubjectAnswer, Title: "is that there is no such function, but it is declared",
			Why:    "Engines offer what the schema declares, and find out in the midst of a plan.",
			Fix:    "Implement the function under the name that it is declared with, or drop the declaration.",
			Source: "§16, neither engine: functions are known from the schema only",
		},
	}
}

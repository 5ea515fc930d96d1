package guard

import "github.com/posixform/terraform-provider-posix/diag"

const (
	rpcValidateAction = "ValidateActionConfig"
	rpcPlanAction     = "PlanAction"
	rpcInvoke         = "InvokeAction"
)

const (
	actionDeferred   ID = "ACTION-001"
	actionReason     ID = "ACTION-002"
	actionUnfinished ID = "ACTION-003"
	actionAfterEnd   ID = "ACTION-004"
	actionStrange    ID = "ACTION-005"
	actionNoText     ID = "ACTION-006"
)

func actionRules() []Rule {
	return []Rule{
		{
			ID: actionDeferred, RPC: rpcPlanAction, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "Terraform refuses it and drops whatever else the answer says.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else return no messages or an error.",
			Source: "§18, Terraform: \"Invalid deferral\"",
		},
		{
			ID: actionReason, RPC: rpcPlanAction, Subject: SubjectAnswer, Title: "was put off for a reason that actions do not have",
			Why:    "An action may wait for the provider's configuration and for nothing else.",
			Fix:    "Give the reason DeferredReasonProviderConfigUnknown, or return an error.",
			Source: "§18, Terraform: \"Invalid deferred reason\"",
		},
		{
			ID: actionUnfinished, RPC: rpcInvoke, Subject: SubjectAnswer, Title: "ended without saying that the action is completed",
			Why:    "Terraform takes an action that just stops for one that succeeded.",
			Fix:    "Send ActionCompleted as the last event, with an error if the action failed.",
			Source: "§18 and §22, neither engine: treated as success",
		},
		{
			ID: actionAfterEnd, RPC: rpcInvoke, Subject: SubjectAnswer, Title: "goes on after the action was completed",
			Why:    "Nobody reads on, so what comes then, an error for example, is lost.",
			Fix:    "Send ActionCompleted once, as the last event.",
			Source: "§18 and §21, neither engine",
		},
		{
			ID: actionStrange, RPC: rpcInvoke, Subject: SubjectAnswer, Title: "has an event that the protocol does not have",
			Why:    "Terraform crashes on an event of no kind.",
			Fix:    "Send ActionProgress and ActionCompleted as values, neither nil nor pointers.",
			Source: "§18, Terraform panics",
		},
		{
			ID: actionNoText, RPC: rpcInvoke, Subject: SubjectAnswer, Title: "reports progress without a text",
			Why:    "The user sees an empty line.",
			Fix:    "Say what has been done, or send nothing.",
			Source: "neither engine: shown as it is", Severity: diag.Warning,
		},
	}
}

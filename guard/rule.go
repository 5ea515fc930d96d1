package guard

import (
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ID names a rule, such as "PLAN-003". Each message about the rule has it. The ID
// of a removed rule is not used again.
type ID string

// Subject is the part of a response that breaks a rule. Subject and title of the rule form
// a sentence.
type Subject string

// The subjects of rules.
const (
	SubjectAttribute  Subject = "attribute"
	SubjectBlock      Subject = "block"
	SubjectDiagnostic Subject = "diagnostic"
	SubjectIdentity   Subject = "identity"
	SubjectPrivate    Subject = "private data"
	SubjectResponse   Subject = "response"
	SubjectResult     Subject = "result"
	SubjectSchema     Subject = "schema"
	SubjectState      Subject = "state"
)

// Rule describes one mistake that a response must not have.
type Rule struct {
	ID ID
	// RPC is the call whose responses the rule is for; empty for all calls.
	RPC string
	// Subject and Title form a sentence: "attribute" "changed after it was planned".
	Subject Subject
	Title   string
	// Why is one sentence: the consequence for users.
	Why string
	// Fix is one sentence for the author of the provider.
	Fix string
	// Source is the origin of the rule: the section of docs/checks.md, and the engines or
	// SDKs that apply it.
	Source string
	// Severity is the severity of the message. The zero value is an error.
	Severity diag.Severity

	// when selects the responses that the rule applies to.
	when condition
	// check calls add once for each place that breaks the rule.
	check func(*exchange)
}

// condition selects the exchanges that a rule applies to: those that satisfy all of its
// bits.
type condition uint16

const (
	// succeeded: the provider returned no error.
	succeeded condition = 1 << iota
	// notDeferred: the response is not deferred.
	notDeferred
	// validSchema: the schema of the type is valid, so that values can be checked
	// against it.
	validSchema
	// updates: the request has a prior object.
	updates
	// destroys: the request asks for a null object.
	destroys
	// keeps: the request asks for an object.
	keeps
	// exists: an object is stored after the call.
	exists
	// unbroken: no rule checked so far is broken.
	unbroken

	always condition = 0
)

// Rules returns all rules: by family, in the order of the life of a resource and
// then the other families, and by ID in each family. The caller owns the slice.
func Rules() []Rule {
	return slices.Concat(
		table(rpcSchema, schemaRules),
		upgradeCall.table(),
		upgradeIdentityCall.table(),
		readCall.table(),
		planCall.table(),
		applyCall.table(),
		importCall.table(),
		moveCall.table(),
		generateCall.table(),
		dataCall.table(),
		openCall.table(),
		renewCall.table(),
		table(rpcCallFunction, functionRules),
		table(rpcList, listResultRules),
		listCall.table(),
		planActionCall.table(),
		invokeActionCall.table(),
		configureStoreCall.table(),
		readBytesCall.table(),
		writeBytesCall.table(),
		lockStateCall.table(),
		getStatesCall.table(),
		table("", diagnosticRules),
		table("", panicRules),
	)
}

// table returns rules with their RPC.
func table(rpc string, rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].RPC == "" {
			rules[i].RPC = rpc
		}
	}
	return rules
}

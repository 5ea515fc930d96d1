package guard

import (
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ID names a rule, as in "PLAN-003". It is in each message about the rule and is
// never given to another one.
type ID string

// Subject is what breaks a rule; with the rule's title it makes a sentence.
type Subject string

// What may break a rule.
const (
	SubjectAnswer     Subject = "answer"
	SubjectAttribute  Subject = "attribute"
	SubjectBlock      Subject = "block"
	SubjectDiagnostic Subject = "diagnostic"
	SubjectIdentity   Subject = "identity"
	SubjectPrivate    Subject = "private data"
	SubjectResult     Subject = "result"
	SubjectSchema     Subject = "schema"
	SubjectState      Subject = "state"
)

// Rule is one thing that an answer may not do.
type Rule struct {
	ID ID
	// RPC is the call whose answers are judged by the rule; empty for all.
	RPC string
	// Subject and Title make a sentence: "attribute" "changed after it was
	// planned".
	Subject Subject
	Title   string
	// Why is one sentence: what goes wrong for users otherwise.
	Why string
	// Fix is one sentence for the provider's author.
	Fix string
	// Source says where the rule comes from: the section of the collected
	// checks of both engines, and who applies it.
	Source string
	// Severity is that of the message; nearly always an error.
	Severity diag.Severity
}

// Rules is all rules, by family in the order of a resource's life, the others
// after it, and by id in each family. The slice is the caller's.
func Rules() []Rule {
	return slices.Concat(
		schemaRules(),
		upgradeRules(),
		upgradeIdentityRules(),
		readRules(),
		planRules(),
		applyRules(),
		importRules(),
		moveRules(),
		generateRules(),
		dataRules(),
		ephemeralRules(),
		functionRules(),
		listRules(),
		actionRules(),
		storeRules(),
		diagnosticRules(),
		panicRules(),
	)
}

// ruleOf is the rule with the id; the tests see to it that each id has one.
func ruleOf(id ID) Rule {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{ID: id, Subject: SubjectAnswer, Title: "broke a rule"}
	}
	return rules[i]
}

// Package guard judges a provider's answers before they leave: [Wrap] puts every
// rule by which Terraform or OpenTofu accepts an answer, the stricter of the two
// in each case, between a provider and whoever asks it. To these it adds rules
// for what both would accept and lose.
//
// The rules are data: [Rules] lists them, docs/guard.md is written from it, and
// each message names the rule that was broken. A message blames the provider's
// code, for none of these rules can be broken by a configuration; it says which
// resource type and attribute are concerned and what was expected and came
// back, and never shows a value that is sensitive, write-only or inside either.
//
// What happens to an answer that breaks a rule:
//   - it gets an error for each broken rule;
//   - a schema, a validation: nothing else changes;
//   - an upgrade, an import, a move: what was made is withheld;
//   - a read, a plan: the prior object, private data and identity are answered;
//   - an apply: the new state stays, with unknown values and write-only values
//     replaced by null. One that has another type than the schema's is replaced
//     by the prior state; for a create, where there is none, by the planned
//     state with what fits of the answer. Nothing that was made is forgotten.
//
// Answers with errors of the provider's own are judged as both engines do: what
// would make them unreadable is still an error, what they promise is not
// compared. What a failed apply leaves out of private data and identity is
// carried over from the plan.
//
// An identity changes when a part of it that had a value has another one or
// none. That a part which was null gets a value is no change: an import may
// know less than the read that follows.
//
// Private data is lost when the request has some and the answer has none, that
// is, nil. A provider that means to drop it answers an empty slice that is not
// nil.
//
// A provider may implement, itself or in what its Unwrap gives:
//   - [MutableIdentity]: some types may change the identity of their objects.
//
// Invariants: requests reach the provider as they came; an answer that breaks
// no rule leaves as it came, at the cost of one walk; a panic of the provider
// becomes one message without values. A guard is safe for use by many
// goroutines at once.
//
// Elsewhere: whether a plan or a result agrees with what it follows from is
// decided by package objchange, whether a schema is lawful by configschema and
// identity. Rules that need to see two calls, such as that the plan made during
// apply agrees with the first one, are the engine's.
package guard

//go:generate go run ../internal/cmd/guarddoc -o ../docs/guard.md

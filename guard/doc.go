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
//     state with what fits of the answer. Nothing that was made is forgotten;
//   - data, a generated configuration, the result of a function: withheld;
//   - an ephemeral object that was opened: withheld, and closed by the guard,
//     since no engine closes what came with an error. Nobody can close it twice:
//     its private data is withheld, too;
//   - a renewal: the private data with which the object can be closed stays,
//     and there is no next renewal;
//   - a result of a search: its name and messages stay;
//   - an action: its last event, that of completion, gets the errors, and is made
//     up where there is none. It is held back until the provider's stream ends;
//   - a part of a state: from the one on that is not the next, nothing is
//     answered but the error;
//   - a chunk size: none; a lock, the names of states: nothing else changes.
//
// A stream is judged as it passes: nothing is collected, and the provider is
// asked no more when the receiver stops.
//
// Answers with errors of the provider's own are judged as both engines do: what
// would make them unreadable is still an error, what they promise is not
// compared. What a failed apply leaves out of private data and identity is
// carried over from the plan, what a failed renewal leaves out from the request.
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
// That a function gives one result for the same arguments is judged over all
// calls of a process, of which hashes are remembered for a bounded number. No
// message shows an argument or a result: nothing tells which are sensitive.
//
// Invariants: requests reach the provider as they came; an answer that breaks
// no rule leaves as it came, at the cost of one walk (two for functions, and one
// hash for each result of a search); a panic of the provider, also in the midst
// of a stream, becomes one message without values. What leaves a guard breaks
// no rule that its messages do not name, so guards can be nested. A guard is
// safe for use by many goroutines at once.
//
// Elsewhere: whether a plan or a result agrees with what it follows from is
// decided by package objchange, whether a schema is lawful by configschema and
// identity. Rules that need to see two calls, such as that the plan made during
// apply agrees with the first one, are the engine's.
package guard

//go:generate go run ../internal/cmd/guarddoc -o ../docs/guard.md

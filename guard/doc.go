// Package guard checks a provider's responses before the client gets them: [Wrap] returns
// a provider that checks them by the rules of Terraform and OpenTofu, the stricter rule
// where the two engines differ. It adds rules for mistakes that both engines accept
// silently.
//
// The rules are data. The file of a call has the table of its rules: for each rule its
// ID, its text, the responses that it is for, and the check. [Rules] returns all rules,
// docs/guard.md is generated from them, and each message has the ID of the rule
// that was broken. A message reports a bug in the provider, because no
// configuration can break these rules. It has the type and, where they apply, the
// attribute, the expected value and the returned value. It never shows a sensitive or
// write-only value, or a part of one.
//
// A response that breaks a rule gets an error for it, or a warning if the rule has that severity.
// In addition to an error:
//   - a schema, a validation: nothing else changes;
//   - an upgrade, an import, a move: the object is withheld;
//   - a read, a plan: the prior object, private data and identity are returned;
//   - an apply: the new state is kept, with null in place of unknown values and
//     write-only values. If its type is wrong, the prior state is returned instead;
//     for a create, the planned state with the valid attributes of the response.
//     The state always has each object that a create returned;
//   - data, a generated configuration, the result of a function: withheld;
//   - an ephemeral resource that was opened: withheld, and closed by the guard,
//     because no engine closes an object whose opening had an error. Its private data
//     is withheld too, so that it cannot be closed twice;
//   - a renewal: the private data for the close is kept, and there is no next renewal;
//   - a result of a list: its name and diagnostics are kept;
//   - an action: the last event, ActionCompleted, gets the errors. It is sent when the
//     provider's stream has ended, and added if it is missing;
//   - the plan of an action: the deferral is withheld;
//   - a chunk that would corrupt a state: its bytes are withheld, and the stream ends there;
//   - a chunk size: zero; a write, a lock, the names of states: nothing else changes.
//
// The parts of a stream are checked one by one: they are not collected, and no more
// are requested from the provider once the receiver stops.
//
// Responses with errors of the provider are checked as in both engines: it is still
// an error if they cannot be decoded, but they are not compared with the request.
// If a failed update returns no private data or identity, that of the plan is kept; if
// a failed renewal returns no private data, that of the request is kept.
//
// An identity changes if an attribute that had a value gets a different one or null. An
// attribute that was null may get a value: an import may return fewer attributes than
// the read that follows.
//
// Private data counts as dropped if the request has some and the response has nil. A
// provider that drops it on purpose returns an empty slice that is not nil.
//
// A provider may implement, itself or in the result of its Unwrap method:
//   - [MutableIdentity]: some types may change the identity of their objects.
//   - [SameIdentity]: two identities may be of the same object.
//
// The calls of a function through a guard are compared, by hashes of a bounded number of
// calls: the same arguments must have the same result. No message shows an argument
// or a result, because nothing marks those that are sensitive.
//
// Invariants: requests reach the provider unchanged. A response without errors that breaks no
// rule is returned unchanged, at the cost of one walk (two for functions, and one hash
// for each result of a list) and of the comparison with the request. A panic of the
// provider, even during a stream, becomes one message without values. A response of a
// guard breaks no rule except those in its own messages, so that guards can be nested.
// A guard is safe for concurrent use.
//
// Elsewhere: package objchange decides whether a plan or a result agrees with its
// request, configschema and identity whether a schema is valid. Engines check the
// rules about two calls, such as that the plan during apply agrees with the first one.
package guard

//go:generate go run ../internal/cmd/guarddoc -o ../docs/guard.md

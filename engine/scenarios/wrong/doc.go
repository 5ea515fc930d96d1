// Package wrong is a provider that does what a script says, deliberately wrong
// things above all, so that it can be seen what a core makes of them.
//
// By itself it behaves well: it plans what was proposed, computed attributes
// that have no value are unknown until they are applied, and each object keeps
// what it has. A behaviour (ParseBehaviour) changes answers of single calls: the
// state, private data, the identity, paths that need replacement, messages, or
// the bytes themselves. It is a server of the wire's protocol, not a
// provider.Interface, so that it can send what is no value of its schema.
//
// Invariants: an answer depends on the script, the request and how many calls of
// the kind came for the object since Reset; on nothing else. What it is asked is
// in Calls.
//
// Elsewhere: the scenarios that script it are package scenarios.
package wrong

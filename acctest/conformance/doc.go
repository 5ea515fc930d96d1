// Package conformance decides whether the resource types of a provider keep the
// laws that every user of a provider relies on: a plan after an apply is empty,
// what was planned is what happens, what was imported needs no change, a failed
// apply loses nothing. [Laws] lists them all.
//
// [Conformance] is a test of any provider, of this module or another, in this
// process or a program. It makes random configurations from the schemas, has the
// provider's own validation judge which of them are valid, leads objects through
// random lives with them, and watches each answer. Where a law is broken, the
// life and its configurations are made as small as they can be, and a [Finding]
// says which law, why it matters, the smallest configuration, what was planned,
// what came, from which call, and the seed with which the same happens again.
//
// Invariants: a case follows from its seed alone. Nothing that a schema marks as
// sensitive is in a report. No object that a case made is left where the provider
// is able to delete it.
//
// Elsewhere: what a core checks of a single answer is package objchange; a
// provider that judges itself is package guard; tests with configurations of one's own
// are package acctest.
package conformance

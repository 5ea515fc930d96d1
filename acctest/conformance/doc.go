// Package conformance decides whether the resource types of a provider keep the
// laws that every user of a provider relies on: a plan after an apply is empty,
// what was planned is what happens, what was imported needs no change, a failed
// apply loses nothing. [Laws] lists them all.
//
// [Conformance] is a test of any provider, of this module or another, in this
// process or a program: tfprotov6.NewClient and tfprotov6.Dial make a
// provider.Interface of either. It makes random configurations from the schemas,
// has the provider's own validation judge which of them are valid, leads objects
// through random lives with them, and watches each answer; some of the lives are
// whole runs of package engine. Where a law is broken, the life and its
// configurations are made as small as they can be, and a [Finding] says which law,
// why it matters, the smallest configuration, what was planned, what came, from
// which call, and the seed with which the same happens again.
//
// What is applied is applied for real. An attribute that decides where something
// happens (a path, a host, a command) needs a function of its own in [Type.Values],
// or has to be left alone by [Type.Leave]; so has one that decides how much.
//
// Invariants: a case follows from its seed alone, but for the moment at which an
// apply is interrupted without [Options.Fail]. Nothing that a schema marks as
// sensitive is in a report, unless a provider's own message has it. No object that a case made is
// left where the provider is able to delete it.
//
// Elsewhere: what a core checks of a single answer is package objchange; a
// provider that judges itself is package guard; tests with configurations of one's own
// are package acctest.
package conformance

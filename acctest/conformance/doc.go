// Package conformance checks that the resource types of a provider keep the laws of
// conformance, which are properties that every user of a provider relies on: a plan
// after an apply is empty, an apply does what was planned, an import needs no change, a
// failed apply loses nothing. [Laws] returns all of them.
//
//	func TestConformance(t *testing.T) {
//		conformance.Conformance(t, conformance.Options{
//			Provider: func(context.Context) (provider.Interface, error) { return New() },
//		})
//	}
//
// [Conformance] tests any provider, in the process of the test or as a program:
// client.New and client.Dial return a provider.Interface for either. It
// generates random configurations from the schemas, keeps those that the provider's own
// validation accepts, runs random sequences of operations on objects with them, and
// checks each response. Some sequences are complete runs of package engine. If a
// law is broken, the sequence and its configurations are minimized, and a [Finding] has
// the law and why it matters, the smallest configuration, the expected and actual
// values, the call, and the seed that reproduces it.
//
// The configurations are applied. An attribute that determines where the provider acts (a
// path, a host, a command) or how much it creates needs a function in [Type.Values], or
// must be listed in [Type.Leave].
//
// Invariants: a case depends only on its seed, except for the moment at which an apply
// or a destroy is interrupted without [Options.Fail]. Reports contain no value that the
// schema marks as sensitive, unless a message of the provider has it. Every object that a
// case creates is deleted if the provider is able to delete it.
//
// Elsewhere: package objchange has the checks of a single response; package guard checks
// the responses inside a provider; package acctest runs tests with given configurations.
package conformance

//go:generate go run ../../internal/cmd/lawdoc -o ../../docs/conformance.md

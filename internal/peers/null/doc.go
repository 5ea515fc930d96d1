// Package null is a provider that does nothing, on terraform-plugin-sdk: a
// resource whose triggers force its replacement, and a data source whose
// outputs are its inputs.
//
// It speaks protocol 5 and asks for the exemptions of the legacy type system,
// as every provider does that is built on that SDK.
//
// Elsewhere: richer shapes of the same SDK are package legacy.
package null

// Package null is a provider that does nothing, on terraform-plugin-sdk: a resource whose
// triggers force its replacement, and a data source whose outputs are its inputs.
//
// It uses protocol 5 and the legacy type system, like every provider on that SDK.
//
// Elsewhere: package legacy uses more features of the same SDK.
package null

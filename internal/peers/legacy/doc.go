// Package legacy tests a provider on terraform-plugin-sdk with one resource that uses the
// features of the legacy type system: nested blocks as lists and sets, at most one
// block, attributes as blocks, optional computed attributes, defaults, values that are
// stored in a different form, suppressed differences, timeouts, changes that force a
// replacement in one direction only, and two older versions of state.
//
// The servers are in a Cloud in memory, in which a test inspects the result, changes
// servers outside of the provider, and makes calls fail.
//
// The provider is also served together with a part that has already migrated to
// terraform-plugin-framework, over either version of the protocol. Over version 6, the server of
// the SDK is converted.
//
// Elsewhere: package acctest has the engines.
package legacy

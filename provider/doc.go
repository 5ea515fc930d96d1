// Package provider is the contract between a provider and its clients:
// [Interface], its requests and its responses.
//
// Values are [cty.Value]s, except for a stored state or identity to upgrade or
// move, which is still encoded. Schemas are those of configschema and diagnostics
// those of diag; there are no Go structs of resources.
// Package runtime implements the interface for typed resources, package guard
// wraps it, and package tfprotov6 converts it to the protocol and back.
//
// Invariants: methods do not panic, return a complete response or an error,
// and are safe for concurrent use. In a response, [cty.NilVal]
// means no value. A request has a typed null instead if the field has a schema.
//
// Elsewhere: packages objchange, identity and guard decide which responses a client
// accepts.
package provider

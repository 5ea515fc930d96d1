// Package provider is the contract between what answers for a provider and what
// asks it: [Interface], its requests and its responses.
//
// Values are [cty.Value]s, schemas are configschema's, messages are diag's:
// there are no bytes and no Go structs of resources here. Package runtime
// implements the interface from typed resources, package guard wraps it, and
// package tfprotov6 speaks it over the wire in both directions.
//
// Invariants: a method never panics across this boundary, returns its answer in
// full or with an error diagnostic, and may be called from many goroutines at
// once. [cty.NilVal] in a response field means "nothing"; a request never has
// NilVal where a schema exists for the field, it has a typed null.
//
// Elsewhere: which answers a client accepts is decided by packages objchange,
// identity and guard.
package provider

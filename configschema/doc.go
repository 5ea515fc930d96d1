// Package configschema describes the shape of configuration and state objects:
// attributes, nested attribute types and nested blocks.
//
// Every other package receives schemas from here and derives types from them.
// A schema is built once, is never changed afterwards, and may then be shared
// between goroutines. Whether a schema is lawful is decided by
// [Block.InternalValidate] and [Object.InternalValidate], with the stricter of
// Terraform's and OpenTofu's rules.
//
// Elsewhere: turning Go structs into schemas is package runtime, the protocol
// form of a schema is internal/wire, judging values against a schema is package
// objchange.
package configschema

// Package identity implements resource identities: which schemas are valid,
// whether an identity is missing, complete or changed, and whether an object
// can be imported by ID or identity.
//
// An identity schema is a [configschema.Object] with single nesting, where
// Required means required for import and Optional means optional for import. An
// identity is an object of its implied type. Packages runtime and guard apply
// the rules, acctest compares identities by their keys.
//
// Invariants: the functions are pure and never panic. Errors about attributes
// are [cty.PathError]s, joined and sorted by name; the path is inside the
// identity, not inside the resource. Errors contain names of attributes, never
// values.
//
// Elsewhere: package runtime decides when an identity may change (MutableIdentity, the
// read after an import); package internal/wire has the protocol form.
package identity

// Package identity decides what names an object of a resource type: which
// schemas an identity may have, when an identity is missing, complete or
// changed, and by what an object may be imported.
//
// An identity schema is a [configschema.Object] with single nesting, where
// Required means "required for import" and Optional "optional for import". An
// identity is an object value of its implied type. Packages runtime and guard
// apply the rules, acctest compares identities by their key.
//
// Invariants: it is pure and never panics. Errors about attributes are
// [cty.PathError]s, joined and sorted by name; the path is that inside the
// identity, not inside the resource. A text names attributes, never values.
//
// Elsewhere: when an identity may change (MutableIdentity, the read after an
// import) is package runtime, the wire form is internal/wire.
package identity

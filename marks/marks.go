// Package marks has the marks of values: properties that all values derived from a value
// inherit.
//
// Elsewhere: package engine/lang marks values; package states stores which paths are sensitive.
package marks

// Mark is a property of a value that all values derived from it inherit.
type Mark string

const (
	// Sensitive marks values that are redacted in output.
	Sensitive Mark = "sensitive"
	// Ephemeral marks values that exist only during one run and are never stored.
	Ephemeral Mark = "ephemeral"
)

// Package random is a provider of random values on terraform-plugin-framework:
// values that are made once, stay in the state, and are made anew when their
// keepers change.
//
// It has what suites of such providers are full of: attributes that each force
// replacement, defaults, computed and sensitive results, import by the value
// itself, state of older releases, and an ephemeral value. A seed makes a value
// the same each time.
//
// Elsewhere: how it is served with others is package muxed.
package random

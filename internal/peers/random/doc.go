// Package random is a provider of random values on terraform-plugin-framework: values
// that are created once, stay in the state, and are replaced when their keepers change.
//
// It has typical features of such providers: attributes that force replacement,
// defaults, computed and sensitive results, import by the value itself, state of older
// releases, and an ephemeral value. A seed makes values reproducible.
//
// Elsewhere: package muxed serves it together with others.
package random

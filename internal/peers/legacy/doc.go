// Package legacy is a provider on terraform-plugin-sdk with one resource that
// has every shape which the legacy type system knows: nested blocks as lists and
// sets, one block at most, attributes in the place of blocks, computed
// attributes that may be set, defaults, values that are stored in another form
// than they are written in, differences that are none, timeouts, changes that
// force a replacement only in one direction, and two older forms of state.
//
// Its servers live in a [Cloud] in memory, in which a test sees what was really
// done, changes things behind the provider's back, and lets calls fail.
//
// Elsewhere: the smallest provider of this SDK is package null.
package legacy

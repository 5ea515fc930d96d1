// Package clock is a provider of times on terraform-plugin-sdk: a time that is
// kept, one that lies beside it, and one that is due to be renewed.
//
// What they plan is worked out by CustomizeDiff from computed attributes that
// may also be set, and a rotation whose time has come is gone when it is read.
// Now is a parameter, so that a test can let time pass.
//
// Elsewhere: a provider of times on terraform-plugin-framework is run with its
// own suite by package published.
package clock

// Package clock is a provider of times on terraform-plugin-sdk: a constant time, a time
// at an offset, and a time that expires.
//
// CustomizeDiff plans them from computed attributes that may also be set, and an
// expired rotation is removed by a read. The current time is a parameter, so that tests
// can advance it.
//
// Elsewhere: package published runs a provider of times on terraform-plugin-framework
// with its own suite.
package clock

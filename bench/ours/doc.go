// Package ours is the resource of package bench on this repository's typed
// runtime, judged by its guard and served by its tfprotov6, as a resource of the
// real provider is.
//
// Objects are in memory only, that is, the prior state is taken for what is
// there; with real files it is posix_file of the provider itself that is
// measured.
//
// Elsewhere: the same without a framework is package floor, on
// terraform-plugin-framework package framework.
package ours

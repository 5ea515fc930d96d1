// Package muxed puts the providers of this module together as teams do that
// move from one SDK to the other: several behind one address, by either
// protocol, with what speaks the other one translated.
//
// Elsewhere: the providers have packages and suites of their own.
package muxed

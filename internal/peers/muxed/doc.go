// Package muxed combines the providers of this module, like teams that migrate from one
// SDK to the other: several servers behind one address, with either protocol, one of
// them translated.
//
// Elsewhere: the providers have their own packages and suites.
package muxed

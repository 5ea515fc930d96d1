// Package floor is what package bench compares as a careful expert writes it
// without a framework: one tfprotov6.ProviderServer on terraform-plugin-go and
// go-cty, each RPC decoding the values it needs, deciding, encoding.
//
// It checks nothing but what decoding checks, keeps no private state, and plays
// no tricks: bytes of a request are never passed through as an answer, and
// every answer is encoded from a cty value.
//
// Elsewhere: the same on terraform-plugin-framework is package framework, on
// this repository's runtime package ours.
package floor

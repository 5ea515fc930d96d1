// Package floor is the resources of package bench as an expert writes them without a
// framework: one tfprotov6.ProviderServer on terraform-plugin-go and go-cty. Each RPC
// decodes the values that it needs, and encodes its answer.
//
// It checks nothing beyond decoding and has no private state. Bytes of a request are
// never passed through as an answer.
//
// Elsewhere: the same on terraform-plugin-framework is package framework, on this
// repository's runtime package ours.
package floor

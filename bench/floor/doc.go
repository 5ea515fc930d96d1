// Package floor has the resources of package bench as an expert writes them without a
// framework: one tfprotov6.ProviderServer on terraform-plugin-go and go-cty. Each RPC
// decodes only the values that it needs, and encodes its response.
//
// It checks nothing beyond decoding and has no private state. Bytes of a request are never
// passed through to a response.
//
// Elsewhere: package framework has the same on terraform-plugin-framework, package ours on
// this repository's runtime.
package floor

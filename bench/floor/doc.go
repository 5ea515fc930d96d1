// Package floor has the resources of package bench as an expert would write them without a
// framework: one tfprotov6.ProviderServer on terraform-plugin-go and go-cty. Each RPC
// decodes only the values that it needs, and encodes its response.
//
// It checks nothing beyond decoding. Its resources have no private state and no identity. A
// state in a response is encoded again and not copied from the request, except after a
// deletion or an error.
//
// Elsewhere: package framework has the same resources on terraform-plugin-framework, package ours on
// this repository's runtime.
package floor

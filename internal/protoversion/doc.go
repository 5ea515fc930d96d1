// Package protoversion converts servers between versions 5 and 6 of the plugin protocol, with
// terraform-plugin-mux.
//
// terraform-plugin-mux 0.23.1 drops some fields, which this package passes on:
//   - limit and include_resource of a list block, in ListResource and in
//     ValidateListResourceConfig. Without include_resource, results have no objects.
//   - In [Downgrade], the capabilities of the server in GetProviderSchema. Without them, clients
//     reject moved blocks between resource types and request the schemas from each instance.
//   - In [Upgrade], the capability GenerateResourceConfig.
//
// A conversion passes the context on, so there are two wrappers for each direction: one around the
// conversion puts the request, or a place for the capabilities of the response, into the context,
// and one around the original server uses it.
//
// A test in tfprotov6/internal/rpc compares the fields before and after a conversion, for each RPC
// that both protocols have, except GetMetadata. It fails if a new version of terraform-plugin-mux
// drops another field.
//
// Elsewhere: serve/protocol5 serves the result of Downgrade; tfprotov6/internal/rpc and acctest
// use providers of protocol 5 with Upgrade.
package protoversion

// dropped is the context key of the request whose fields the conversion drops, or of the place for
// the capabilities of the response.
type dropped struct{}

// Package call has the common parts of a protocol server and a protocol client: [Do]
// performs one RPC, a [Call] converts its values and collects its diagnostics, and
// [Schemas] has a codec for every type of a provider.
//
// A panic in one of the functions that Do calls becomes an error diagnostic.
// Diagnostics about a value or a panic name the RPC, the type and, where known, the
// attribute. Diagnostics never contain values.
//
// Elsewhere: tfprotov6/server and tfprotov6/client decide which fields a request and a
// response have; internal/wire encodes values, schemas and diagnostics.
package call

// Package call has what a protocol server and a protocol client have in common:
// [Do] performs one RPC, a [Call] converts its values and collects its
// diagnostics, and [Schemas] has a codec for every type of a provider.
//
// A panic in one of the functions that Do calls becomes an error diagnostic.
// Diagnostics name the RPC, the type and, where known, the attribute. They never
// contain values.
//
// Elsewhere: which fields a request and a response have is decided by
// tfprotov6/server and tfprotov6/client; the encoding of values, schemas and
// diagnostics is internal/wire.
package call

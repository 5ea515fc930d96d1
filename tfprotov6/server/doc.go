// Package server serves a provider.Interface as a protocol 6 server of
// terraform-plugin-go. Package serve uses it in the main function of a provider, so
// package server must not import packages that only clients need.
//
// An RPC never returns a Go error and never panics: an unknown type name, a
// value that cannot be decoded and a panic of the provider become diagnostics, or
// the error in the response to CallFunction and StopProvider. Diagnostics about a
// value or a panic name the RPC, the type and, where known, the attribute. Schemas are
// requested once. If the response to ApplyResourceChange cannot be encoded, the
// object is kept in the state.
//
// Elsewhere: tfprotov6/internal/call has the part of an RPC that server and client
// share; internal/wire encodes values, schemas and diagnostics; package guard decides
// whether a response is valid.
package server

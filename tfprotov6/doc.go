// Package tfprotov6 speaks protocol 6 in both directions: [NewServer] makes
// terraform-plugin-go's server of a provider.Interface, [NewClient] makes a
// provider.Interface of such a server, in Terraform's role.
//
// The main program serves with the one; tests and the in-process engine drive
// any provider with the other. Of a provider p, NewClient(NewServer(p)) behaves
// as p does, but for what the protocol cannot carry: see [NewClient].
//
// [Dial] makes a provider.Interface of a program in the same way: it starts a
// provider's binary as Terraform does, or attaches to one that runs, and speaks
// protocol 6 with it or 5. So another provider can be asked by a test, driven by
// the engine, or judged by the guard: guard.Wrap(remote).
//
// Invariants of the server: an RPC never returns a Go error and never panics.
// What goes wrong (a type name that nobody knows, a value that cannot be
// decoded, a panic in the provider) is a diagnostic that names the RPC, the
// type and, where known, the attribute; values are in no text. Schemas are
// fetched once and answered many times, the codec of a type is compiled when it
// is first needed. An answer to ApplyResourceChange that cannot be encoded does
// not lose the object.
//
// Elsewhere: bytes, schemas and diagnostics in their protocol form are
// internal/wire; processes and gRPC are the packages in internal; whether an
// answer is lawful is package guard.
package tfprotov6

// Package rpc speaks protocols 5 and 6 as a client: of a gRPC connection it
// makes the server interfaces of terraform-plugin-go, so that a provider in
// another process is asked as one in this process is.
//
// The messages of the protocols are in internal packages of
// terraform-plugin-go, which register them with the protobuf runtime. They are
// found there by name, and a struct of terraform-plugin-go stands to its
// message as the names of their fields do; what is named otherwise is the table
// in names.go. How the two stand to each other is worked out once for an RPC. A
// test fails when a message has a field that no struct has, when a struct has
// one that no message has, and when a protocol has an RPC that is not here.
//
// Package tfprotov6 calls it. Errors are for people: which RPC a provider is too
// old for, what it wrote before it crashed; the gRPC status is in the chain.
// What goes wrong while a stream is read comes as the last element of it.
//
// Elsewhere: where connections come from is internal/process; values and
// schemas in these structs are read by internal/wire.
package rpc

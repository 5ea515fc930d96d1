// Package rpc is a client of protocols 5 and 6: it implements the server interfaces
// of terraform-plugin-go over a gRPC connection, so that a provider in another
// process is called like one in this process.
//
// The messages of the protocols are in internal packages of terraform-plugin-go,
// which register them with the protobuf runtime. This package finds them there by
// name and matches their fields with those of terraform-plugin-go's structs by
// name; service.go has the exceptions. The mapping of an RPC is computed once. A test
// fails if a message or a struct has a field without a counterpart that the test does
// not list, or if a protocol has an RPC that is missing here.
//
// Package tfprotov6/client uses it. Errors are for users: they name an RPC that the
// provider is too old for, contain the output of a crashed provider, and wrap the error of
// a failed gRPC call. An error in a stream is its last element.
//
// Elsewhere: tfprotov6/internal/process makes the connections; internal/wire decodes
// values and schemas in the structs.
package rpc

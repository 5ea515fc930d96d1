// Package tfprotov6 converts between provider.Interface and protocol 6 of
// terraform-plugin-go: [NewServer] serves a provider, [NewClient] uses a server
// as a provider, in Terraform's role.
//
// For a provider p, NewClient(NewServer(p)) behaves as p does, except for what
// the protocol cannot carry: see [client.New]. The tests of this package check
// that for both sides together.
//
// A provider's program should import tfprotov6/server, as package serve does:
// this package also imports the client, with gRPC and terraform-plugin-mux.
//
// Elsewhere: the server is tfprotov6/server; the client, also of programs of
// other providers, is tfprotov6/client; TF_REATTACH_PROVIDERS is
// tfprotov6/reattach; the encoding of values is internal/wire.
package tfprotov6

// Package tfprotov6 converts between provider.Interface and protocol 6 of
// terraform-plugin-go: [NewServer] serves a provider, [NewClient] uses a server
// as a provider, in Terraform's role.
//
// For a provider p, NewClient(NewServer(p)) behaves as p does, except for data that the
// protocol cannot carry: see [client.New]. The tests of this package check that for both
// sides together.
//
// A provider's program should import tfprotov6/server, as package serve does:
// this package also imports the client, with gRPC and terraform-plugin-mux.
//
// Elsewhere: tfprotov6/server has the server; tfprotov6/client the client, also for
// programs of other providers; tfprotov6/reattach handles TF_REATTACH_PROVIDERS;
// internal/wire encodes values.
package tfprotov6

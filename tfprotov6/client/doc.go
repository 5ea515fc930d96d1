// Package client returns a provider.Interface for a provider behind protocol 6,
// as Terraform uses it: [New] for a server of terraform-plugin-go in this
// process, [Dial] for the program of a provider, which it starts or attaches to.
//
// Tests and the in-process engine use it to drive any provider; guard.Wrap makes
// the guard check the responses of another provider.
//
// A server that does not answer, panics or returns a response that cannot be decoded
// causes an error diagnostic that names the RPC, the type and, where known, the
// attribute. If the response to ApplyResourceChange cannot be decoded, the new state is
// the prior state.
//
// Elsewhere: tfprotov6/internal/call has the part of an RPC that server and client
// share, tfprotov6/internal/process the processes, tfprotov6/internal/rpc gRPC, and
// tfprotov6/reattach TF_REATTACH_PROVIDERS.
package client

// Package reattach formats and parses TF_REATTACH_PROVIDERS, the environment
// variable that tells Terraform, OpenTofu and [client.Dial] where a running
// provider listens.
//
// Package serve writes it for a provider under a debugger, package acctest for a
// provider in the process of a test.
//
// Elsewhere: terraform-plugin-go serves; tfprotov6/client attaches.
//
// [client.Dial]: https://pkg.go.dev/github.com/posixform/terraform-provider-posix/tfprotov6/client#Dial
package reattach

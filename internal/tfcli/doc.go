// Package tfcli finds the OpenTofu or Terraform command for tests and the demo.
//
// Acceptance tests, the demo and make call [Finder.Find]. It returns the
// command in POSIX_TF if that is set, otherwise the first tofu or terraform on
// the PATH that is new enough, otherwise the OpenTofu that make has built into
// the repository's cache directory. Rejected candidates are returned with the
// reason.
//
// Invariants: a command is returned only after it printed its version. Commands
// run without the user's configuration and without network.
//
// Elsewhere: make tofu builds OpenTofu; package acctest passes the result to
// terraform-plugin-testing.
package tfcli

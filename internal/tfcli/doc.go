// Package tfcli decides which OpenTofu or Terraform command is used to try the
// provider.
//
// The acceptance tests, the demo and make ask [Finder.Find]. POSIX_TF decides
// alone where it is set; else the first tofu or terraform on the PATH that is
// new enough; else the OpenTofu that make has built into the repository's cache
// folder. A candidate that is passed over is reported with the reason, never
// silently.
//
// Invariants: a command is only chosen after it has told its version, and is
// run without a configuration of the person's own and without the network.
//
// Elsewhere: building OpenTofu is make tofu, what terraform-plugin-testing needs
// to hear of the choice is package acctest.
package tfcli

// Package sidebyside compares what an author writes for one and the same
// resource on this repository's runtime (package ours), on
// terraform-plugin-framework (package framework) and on terraform-plugin-sdk/v2
// (package sdkv2), each complete with its provider, over one backend (package
// store).
//
// It has what all three must do, a table of scenarios that are run against each
// one's protocol server in Terraform's role; what they notice of an author's
// mistakes (package mistake); and the rule by which their code is counted. The
// page docs/side-by-side.md is made of the results by the command
// bench/cmd/sidebyside; a test fails when it is stale.
//
// Elsewhere: how fast such resources are is package bench.
package sidebyside

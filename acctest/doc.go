// Package acctest has what tests that drive a provider through a real OpenTofu
// or Terraform share. It is meant for the tests of any provider that is built
// on this module, this repository's own among them.
//
// [Engine] finds the command and points terraform-plugin-testing at it. Where
// there is none, a test that asks for it is skipped with a message that says
// how to get one; where POSIX_ACC=require is set, as make test does, it fails
// instead, so that no run passes by having tried nothing.
//
// [Factories] serves a provider to terraform-plugin-testing. A [Workdir] is for
// what that has no step for: a folder in which a test runs the command itself,
// with the provider as a program that [Build] has made.
//
// Invariants: the environment is set once a process and before the first
// command runs, because terraform-plugin-testing reads it from many goroutines.
//
// Elsewhere: which command is new enough is package internal/tfcli.
package acctest

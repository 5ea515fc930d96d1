// Package acctest tests providers from outside, as configurations use them. It is
// meant for the tests of any provider, this repository's own among them.
//
// [Test] runs a test case of terraform-plugin-testing, unchanged, in this process:
// on package engine, which plans, applies and judges as OpenTofu and Terraform do,
// in milliseconds. EnvEngine has the same test case run on the real command, or on
// both, whose verdicts have to be the same; EnvTiming shows what each step took.
// [Script] runs lifecycles that are written as data.
//
// [Engine] finds the command and points terraform-plugin-testing at it. Where
// there is none, a test that asks for it is skipped with a message that says
// how to get one; where POSIX_ACC=require is set, as make ci does, it fails
// instead, so that no run passes by having tried nothing.
//
// [Factories] serves a provider to test cases. A [Workdir] is for what these have
// no step for: a folder in which a test runs the command itself, with the provider
// as a program that [Build] has made, or in this process.
//
// Invariants: in a process that runs test cases, garbage is collected less often
// (GOGC=400), unless GOGC is set. The environment is set once a process and before the first
// command runs, because terraform-plugin-testing reads it from many goroutines;
// where nothing needs a command, it is not set at all. A test ends with everything
// destroyed, however it ended. What the engine does not support is an error that
// says so, never passed over.
//
// Elsewhere: which command is new enough is package internal/tfcli; laws that any
// provider has to keep are acctest/conformance.
package acctest

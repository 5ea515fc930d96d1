// Package acctest runs acceptance tests of any Terraform provider in the test process.
//
// [Test] runs a test case of terraform-plugin-testing, unchanged, on package engine,
// which plans, applies and validates as OpenTofu and Terraform do, in milliseconds.
// [EnvEngine] selects the real command instead, or both, whose verdicts must then
// agree; with [EnvTiming], tests log the duration of each step. [Script] runs a lifecycle that is
// written as a txtar archive.
//
//	func TestNote(t *testing.T) {
//		acctest.Test(t, resource.TestCase{
//			ProtoV6ProviderFactories: acctest.Factories("demo", New),
//			Steps: []resource.TestStep{{
//				Config: `resource "demo_note" "this" { text = "one" }`,
//				Check:  resource.TestCheckResourceAttr("demo_note.this", "lines", "1"),
//			}},
//		})
//	}
//
// [NeedsCLI] returns the command and configures terraform-plugin-testing to use it. If
// there is none, the test is skipped with instructions to install one, or fails if
// POSIX_ACC=require is set, as make ci does.
//
// [Factories] serves a provider to test cases. A [Workdir] is a directory in which a
// test runs the command itself, with a provider that [Build] compiled or that is served
// from the test process.
//
// Invariants: a process that runs test cases on package engine sets the GC percentage to
// 400 unless GOGC is set. The environment is changed at most once per process and before
// the first command starts, because terraform-plugin-testing reads it from many goroutines;
// tests that need no command do not change it. However a test ends, it destroys the objects
// in its state. A feature that the engine does not support is an error.
//
// Elsewhere: package internal/tfcli finds the command; acctest/conformance has the laws
// that every provider must keep.
package acctest

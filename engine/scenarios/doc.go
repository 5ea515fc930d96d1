// Package scenarios compares the engine with the command, scenario by scenario: their
// handling of a provider with wrong responses, and of constructs in configurations.
//
// A scenario is a file in testdata: a configuration, the deviating behaviour of the
// provider (wrong_behaviour_test.go), the steps to run, and the outcome of each: messages with
// their objects, the plan, the calls of the provider, and the resulting state.
// README.md in testdata describes the format. Outcomes are recorded with the real
// command. Where the outcome of Terraform differs, it is under outcome.terraform; only such
// outcomes may be written by hand.
//
// A life is a sequence of configurations, mostly generated from a seed, that are applied one after
// the other. The command and the engine must have the same messages, calls, plans and states for
// each life.
//
// Elsewhere: package engine has the checks themselves.
package scenarios

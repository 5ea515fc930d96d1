// Package engine plans and applies configurations with providers in this
// process, in the role that Terraform and OpenTofu have, with their verdicts on
// what providers answer.
//
// It exists for tests: a whole lifecycle takes about as long as the provider's own
// answers. Package acctest is its front; engine/configs reads configuration,
// engine/lang is the language, engine/plans what a plan is.
//
// Invariants: each check of docs/checks.md is made in core's order, and no answer
// is corrected where core does not. Where Terraform and OpenTofu differ, Options.
// Flavor decides. A construct that is not supported is an error that names it.
//
// Elsewhere: which objects are lawful is objchange, the state is states.
package engine

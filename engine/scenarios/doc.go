// Package scenarios compares the engine with the command line, scenario by
// scenario: what each makes of a provider that answers wrongly, and of the
// constructs of a configuration.
//
// A scenario is a file in testdata: a configuration, what the provider does
// other than well (package wrong), the steps to run, and the outcome of each:
// which messages there are and about which object, what was planned, what the
// provider was asked, and what is remembered afterwards. README.md in testdata
// describes the format. Outcomes were recorded with the real command and are never
// written by hand, but for those under outcome.terraform, which say what Terraform
// does where it differs.
//
// Elsewhere: the rules themselves are package engine.
package scenarios

// Package tier decides how much of the test suite runs. There are three tiers,
// each a target of the Makefile that includes the previous one:
//
//   - fast, make test: the tests that a contributor runs, go test -short
//   - ci, make ci: the tests that must pass before a change lands, go test
//   - nightly, make check-all: everything, with POSIX_TESTS=all in the environment
//
// A test runs in every tier unless it calls [CI] or [Nightly] first. A test with
// many similar cases calls [Pick] for the number of cases.
//
// Elsewhere: the Makefile has the other steps of each target; internal/archtest checks
// that no test is skipped in another way.
package tier

// Package tier decides how much of the test suite runs. There are three tiers,
// each a target of the Makefile:
//
//   - fast (make test, go test -short): the tests that a contributor runs
//   - ci (make ci, go test): the tests that must pass before a change is merged. This
//     tier runs after make test, so a test may have fewer cases in it than in the fast
//     tier, for example because of the race detector
//   - nightly (make check-all, POSIX_TESTS=all in the environment): all tests
//
// A test runs in every tier unless it calls [CI] or [Nightly] first. A test with
// many similar cases calls [Pick] for the number of cases.
//
// Elsewhere: the Makefile has the other steps of each target; internal/archtest checks
// that each test runs in at least one tier.
package tier

import (
	"os"
	"testing"
)

// Env names the environment variable that selects the nightly tier with the
// value "all". It has no effect on go test -short.
const Env = "POSIX_TESTS"

func nightly() bool { return !testing.Short() && os.Getenv(Env) == "all" }

// CI skips the test in the fast tier.
func CI(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("make ci runs this test")
	}
}

// Nightly skips the test except in the nightly tier.
func Nightly(tb testing.TB) {
	tb.Helper()
	if !nightly() {
		tb.Skip("make check-all runs this test")
	}
}

// Pick returns the value for the current tier.
func Pick[T any](fast, ci, all T) T {
	switch {
	case testing.Short():
		return fast
	case nightly():
		return all
	default:
		return ci
	}
}

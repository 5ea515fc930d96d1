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
		tb.Skip("make ci runs it")
	}
}

// Nightly skips the test except in the nightly tier.
func Nightly(tb testing.TB) {
	tb.Helper()
	if !nightly() {
		tb.Skip("make check-all runs it")
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

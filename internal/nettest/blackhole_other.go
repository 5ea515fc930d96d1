//go:build !linux

package nettest

import "testing"

// BlackHole skips the test. It is implemented only on Linux, which drops connections when the
// backlog of a socket is full.
func BlackHole(tb testing.TB) string {
	tb.Helper()
	tb.Skip("an address that does not respond requires Linux")
	return ""
}

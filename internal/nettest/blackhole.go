package nettest

import "testing"

// BlackHole is an address of 127.0.0.1 at which connecting neither succeeds nor
// fails, as where a firewall drops what comes. A test is skipped where the
// system cannot be brought to do that.
func BlackHole(tb testing.TB) string {
	tb.Helper()
	addr, free, err := blackHole()
	if err != nil {
		tb.Skipf("no address that answers nothing: %v", err)
	}
	tb.Cleanup(free)
	return addr
}

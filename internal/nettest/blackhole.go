package nettest

import "testing"

// BlackHole returns an address of 127.0.0.1 at which connecting neither
// succeeds nor fails, as behind a firewall that drops packets. It skips the
// test if the system does not support that.
func BlackHole(tb testing.TB) string {
	tb.Helper()
	addr, free, err := blackHole()
	if err != nil {
		tb.Skipf("cannot create an address that does not respond: %v", err)
	}
	tb.Cleanup(free)
	return addr
}

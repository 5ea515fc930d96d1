package nettest

import (
	"net"
	"sync"
	"testing"
)

// Serve listens at an address and answers each connection by a function, until the
// test ends. The connection is closed after it.
func Serve(tb testing.TB, network, address string, answer func(net.Conn)) net.Addr {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			done.Go(func() {
				defer func() { _ = conn.Close() }() // the client sees what is missing
				answer(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close() // which ends Accept
		done.Wait()
	})
	return listener.Addr()
}

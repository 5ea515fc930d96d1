package nettest

import (
	"net"
	"sync"
	"testing"
)

// Serve listens on an address and calls a function for each connection until
// the test ends. It closes the connection afterwards.
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
				defer func() { _ = conn.Close() }() // the client notices
				answer(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close() // ends Accept
		done.Wait()
	})
	return listener.Addr()
}

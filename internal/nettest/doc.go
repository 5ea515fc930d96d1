// Package nettest simulates bad networks: TCP proxies on loopback that delay,
// stall, reset and count connections, and an address that does not respond.
//
// Tests and benchmarks of hosts over SSH put a [Proxy] between a client and a
// real server. All data is delayed and arrives in order. A delay limits the
// throughput only because at most 10 MiB are in transit in each direction. The first
// bytes of a connection are also delayed by the TCP handshake. [Serve] runs a server
// with the responses of a test.
//
// Invariants: a proxy listens on loopback; after Close it has no goroutine and no
// connection.
//
// Elsewhere: package sshdtest starts SSH servers.
package nettest

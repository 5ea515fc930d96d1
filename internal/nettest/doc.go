// Package nettest is a network that tests can spoil: TCP proxies on loopback
// that add a delay, stall, cut, and count what they carry; and an address that
// answers nothing.
//
// Tests of hosts over SSH and benchmarks put a [Proxy] between a client and a
// real server. A delay is that of a line and not of a modem: however much is
// sent, all of it arrives the delay later, in order; and a connection's first
// bytes pay for the TCP handshake as well.
//
// Invariants: everything listens on loopback; after Close no goroutine and no
// connection is left.
//
// Elsewhere: the servers behind it, package sshdtest.
package nettest

// Package tunnel is the ephemeral resource posix_tunnel: a local port that forwards
// connections through a host to an address that the host can reach.
//
// It decides how long a tunnel is open, how its connections end, and how failed
// connections are reported.
//
// Invariants: it listens on 127.0.0.1 only; a connection that cannot be made is reset,
// so that it does not look like one that has ended; closing a tunnel ends everything in
// it; a tunnel that is neither renewed nor used closes itself.
//
// Elsewhere: how a host connects is [host.Dialer].
package tunnel

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tunnel Output

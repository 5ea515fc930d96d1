// Package tunnel is the ephemeral resource posix_tunnel: a local port that forwards
// connections through a host to an address that the host can reach.
//
// It decides how long a tunnel is open, how its connections end, and how failed
// connections are reported.
//
// Invariants: a tunnel listens on 127.0.0.1 only; a connection that cannot be made is reset,
// so that it does not look like one that has ended; closing a tunnel ends all its
// connections; a tunnel that is neither renewed nor used closes itself.
//
// Elsewhere: a [host.Dialer] opens the connections from a host to addresses.
package tunnel

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tunnel Output

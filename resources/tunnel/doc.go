// Package tunnel is the ephemeral resource posix_tunnel: a port of this machine
// that leads, through a host, to an address that the host can reach.
//
// It decides how long a tunnel is open, what becomes of its connections, and what
// is said of those that could not be made. Package resources registers it.
//
// Invariants: it listens on 127.0.0.1 alone; a connection that cannot be made is
// reset and never looks like one that has ended; when a tunnel is closed, nothing of
// it goes on; one that nobody renews or uses closes itself.
//
// Elsewhere: how a host makes connections is the host's ([host.Dialer]).
package tunnel

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tunnel Output

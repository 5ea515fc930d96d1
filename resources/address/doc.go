// Package address has the names of hosts and objects: [Path] and [Identity] are the
// attributes that resources with a path have in common, [Named] is the identity of
// those with a name, and [Destination] is a host that is named without being
// configured. Packages of resources call it.
//
// Invariants: a Path that was read from configuration, state or an import id is
// absolute, clean, can be made, and is the same string after cty has normalised it.
//
// Elsewhere: how a host is found by its name is package lifecycle.
package address

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Identity Named

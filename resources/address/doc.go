// Package address has the types for the names of hosts and objects: [Path] and [Identity]
// are for resources with a path, [Named] is the identity of resources with a name, and
// [Destination] is a host given by its address. Packages of resources use these types.
//
// Invariants: a Path from the configuration, the state or an import ID is absolute, clean, valid
// for a new object, and not changed by the normalisation of cty.
//
// Elsewhere: package lifecycle finds a host by its name.
package address

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Identity Named

// Package target says where a resource is: on which host, at which path.
//
// [Hosts] is the provider's configuration as resources receive it; [Path] and
// [Identity] are the attributes that every resource with a place has in common.
// The resource packages call it.
//
// Invariants: a Path that was read from configuration, state or an import id is
// absolute, clean, can be made, and is the same string after cty has normalised
// it. A host is found by its name or not at all: there is no fallback from a
// name that does not exist.
//
// Elsewhere: what a host can do is package host; mode and owner are package
// access.
package target

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Identity Named

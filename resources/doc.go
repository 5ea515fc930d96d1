// Package resources is the posix provider: its configuration and the list of
// its resource types.
//
// main serves what [New] makes. The provider's own configuration is package hosts.
// Each resource type is a package below, which
// knows nothing of the others; what they share is named for what it is: target
// (host and path) and access (mode and owner).
//
// Invariants: nothing below this package knows a protocol, and nothing outside
// of it and package host knows what a file is.
//
// Elsewhere: how structs become schemas and plans is package runtime.
package resources

//go:generate go generate ./command ./content ./directory ./file ./functions ./hosts ./machine ./symlink ./target ./tunnel
//go:generate go run ../internal/cmd/registrydocs -root ..

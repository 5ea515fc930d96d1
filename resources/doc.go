// Package resources is the posix provider: its configuration and the list of
// its resource types.
//
// main serves what [New] makes. The provider's own configuration is package hosts.
// Each resource type is a package below, which
// knows nothing of the others; what they share is named for what it is: target
// (host, path and name), access (mode and owner), tool (the programs of a system),
// edit (files that others write, too), dropin (files in a program's directory) and
// glob (patterns).
//
// Invariants: nothing below this package knows a protocol, and nothing outside
// of it and package host knows what a file is.
//
// Elsewhere: how structs become schemas and plans is package runtime.
package resources

//go:generate go generate ./account ./actions ./block ./command ./filecontent ./cron ./directory ./file ./functions ./hostname ./hosts ./directorylist ./hostinfo ./mount ./service ./packages ./sshkey ./sudoers ./symlink ./sysctl ./address ./tree ./tunnel
//go:generate go run ../internal/cmd/registrydocs -root ..

// Package local implements [host.Host] for the host that the provider runs on.
//
// Resources get this host from the provider's configuration under [host.LocalName]. The package implements
// the contract with system calls, including the parts that depend on the system: how to
// detect that a temporary file is still being written (its writer holds a lock on it, see
// temp.go), how to create a name without replacing another file, and how to look up the
// names of owners.
//
// It runs on Linux, macOS and the BSDs. On other systems [New] returns an error.
//
// It needs no configuration and holds nothing open between calls. User and group names are
// cached for up to a minute, or until their local files change.
//
// Elsewhere: package host has the contract, paths, modes and errors, host/hosttest the
// tests of the contract.
package local

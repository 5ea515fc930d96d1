// Package local is [host.Host] for the host that the provider runs on.
//
// Resources get it from the provider's configuration under [host.LocalName].
// It decides how the contract is kept with system calls: which temporary file
// is still being written (one whose writer holds a lock on it, see temp.go),
// how a name is taken without replacing another, and how owners are named.
//
// It runs on Linux, macOS and the BSDs. On other systems [New] returns an error.
//
// It needs no configuration and holds nothing open between calls, except a
// cache of user and group names that is dropped when the files they come from
// change.
//
// Elsewhere: the contract, paths, modes and errors are package host, the tests
// of the contract host/hosttest.
package local

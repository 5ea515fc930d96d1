// Package access resolves and compares the mode, owner and group of files.
//
// It resolves configured owners and groups to UIDs and GIDs of a host, and returns the owner
// and group of a file in the form of the configuration. The packages of files and
// directories call it.
//
// Invariants: an owner or group is a name, or an ID if no account has that name, as in
// chown(1). If it is unset, it is not changed.
//
// Elsewhere: the text of a mode is [host.Mode].
package access

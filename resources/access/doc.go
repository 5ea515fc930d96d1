// Package access resolves and compares the mode, owner and group of files.
//
// It resolves owners and groups of a configuration to UIDs and GIDs of a host, and returns
// those of a file as the configuration writes them. The packages of files and directories
// call it.
//
// Invariants: an owner or group is a name, or a number if no account has that name, as in
// chown(1). An unset one is not changed.
//
// Elsewhere: the text of a mode is [host.Mode].
package access

// Package access says who may use a file: its mode, owner and group.
//
// It turns the owner and group that a configuration names into the numbers that
// a host works with, and what a host says back into the spelling of the
// configuration. The packages of files and directories call it.
//
// Invariants: an owner or group is a name, or a number where no account has
// that name, as chown(1) reads it. One that is not configured is the host's
// choice and is left alone. Nothing is changed on a host that is already so.
//
// Elsewhere: the text of a mode is [host.Mode].
package access

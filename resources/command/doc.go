// Package command is posix_command: what commands make, read, change and remove
// on a host, as a resource, a data source, an ephemeral resource and an action.
//
// It decides when which command runs, what of a change needs a new object, how
// drift is seen in what a command prints, and what is said of a command that
// fails. Package resources registers it.
//
// Invariants:
//
//   - What was begun is never forgotten: a create that fails leaves an object that
//     is tainted, unless the host says that the command has not begun.
//   - A command that was killed, for whatever reason, has failed.
//   - What is sensitive, write-only or input is in no message, also where a command
//     prints it; where the output is sensitive, nothing of that is.
//   - Output is in the state whole or not at all, and not at all where it has a
//     sensitive or write-only value in it.
//
// Elsewhere: how a command is started, and ends with its context, is the host's.
package command

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Command Identity Lookup LookupOutput Secret SecretOutput Output Action

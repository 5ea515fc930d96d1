// Package command is posix_command, as a resource, a data source, an ephemeral resource and
// an action: objects that configured commands create, read, update and delete on a host.
//
// It decides which command runs when, which changes need a new object, how drift is
// detected in the output of a command, and the errors of failed commands. Package resources
// registers it.
//
// Invariants:
//
//   - A command that was started is never forgotten: a failed create leaves a tainted
//     object, unless the host reports that the command did not start.
//   - A command that was killed for any reason has failed.
//   - No message contains sensitive or write-only values or input, even if a command prints
//     them, or any part of a sensitive output.
//   - The state has the complete output or none of it, and none if it contains a sensitive
//     or write-only value.
//
// Elsewhere: package host starts commands, and kills them when their context ends.
package command

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Command Identity Lookup LookupOutput Secret SecretOutput Output Action

// Package command is posix_command: a resource for objects that commands create, read,
// update and delete, and a data source, an ephemeral resource and an action that run
// commands.
//
// It decides which command runs when, which changes force a new resource, how drift is
// detected in the output of read, and what an error shows of a command's output.
//
// Invariants:
//
//   - A create that fails leaves a tainted object, unless it is certain that the command
//     did not start.
//   - A command that the provider killed counts as failed.
//   - Messages about a command never contain the sensitive values, write-only values or
//     lines of standard input of four or more bytes that are passed to the command, even if
//     it prints them; with sensitive_output, the messages contain no output.
//   - The state has the complete output of a command without trailing newlines, or null.
//     Output is not stored if it contains a write-only value of the same apply or, without
//     sensitive_output, a sensitive value; values of less than four bytes are ignored.
//
// Elsewhere: a [host.Runner] starts commands, and kills them when their context ends.
package command

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Command Identity Lookup LookupOutput Secret SecretOutput Output Action

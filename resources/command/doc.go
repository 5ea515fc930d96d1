// Package command is posix_command: objects that commands create, read, update and
// delete, as a resource, a data source, an ephemeral resource and an action.
//
// It decides which command runs when, which changes force a new resource, how drift is
// detected in the output of read, and what an error shows of a command's output.
//
// Invariants:
//
//   - A create that fails leaves a tainted object, unless the host reports that the
//     command has not started.
//   - A command that the provider killed counts as failed.
//   - Messages never contain sensitive values, write-only values or lines of standard input
//     of four or more bytes, even if a command prints them; with sensitive_output, they
//     contain no output.
//   - The state has the complete output of a command, or null. The output is null if it
//     contains a write-only value or, without sensitive_output, a sensitive one.
//
// Elsewhere: package host starts commands, and kills them when their context ends.
package command

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Command Identity Lookup LookupOutput Secret SecretOutput Output Action

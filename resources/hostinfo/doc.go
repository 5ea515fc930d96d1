// Package hostinfo is the data source posix_host: facts about a host.
//
// It decides which commands are run, in one script for any POSIX shell, and how the
// output of the many variants of system tools is parsed.
//
// Invariants: a read is one command, and so one round trip; a fact that a host does
// not provide is null or an empty string; output of one command is never taken for that of
// another; nothing on the host is changed.
//
// Elsewhere: package remotecmd runs the command.
package hostinfo

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup Output

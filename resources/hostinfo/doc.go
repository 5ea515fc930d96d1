// Package hostinfo is the data source posix_host: what a machine says of itself.
//
// It decides what is asked, in one script that any POSIX shell runs, and what the
// many ways of answering mean. Package resources registers it.
//
// Invariants: it takes one command, so one round trip; whatever a system has no
// way to tell is null, and no part of an answer can be taken for another; nothing
// on the machine is changed.
//
// Elsewhere: how the command gets there is the host's.
package hostinfo

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup Output

// Package remote has the interface between the parts of an SSH host: a program that runs on
// the host, with its three streams and its exit status.
//
// Packages conn, sftp, shell and sshhost use it: a [Starter] is implemented by connections,
// and by a local shell in tests. Invariant: a command line is text for a POSIX shell, and
// every value in it is quoted.
//
// Elsewhere: package conn opens and shares connections; packages sftp and shell communicate
// with the programs.
package remote

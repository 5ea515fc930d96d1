// Package remote has the interface between the parts of an SSH host: a program that runs
// somewhere else, with its three streams and its end.
//
// Packages conn, sftp, shell and sshhost use it: a [Starter] is implemented by connections,
// and by a local shell in tests. Invariant: a command line is text for a POSIX shell, and
// every value in it is quoted.
//
// Elsewhere: connections are made and shared by package conn; packages sftp and shell talk
// to the programs.
package remote

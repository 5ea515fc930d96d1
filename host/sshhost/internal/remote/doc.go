// Package remote says what the parts of an SSH host need of each other: a
// program that was started somewhere else, with its three streams and its end.
//
// Packages link, sftp, shell and sshhost use it: [Starter] is what a connection is to those who speak to programs over it, and
// what a local shell is in their tests. Invariant: a line that is started is
// text for a POSIX shell, and no value is in it that was not quoted.
//
// Elsewhere: how a connection is made and shared is package conn; what is said to
// the programs is packages sftp and shell.
package remote

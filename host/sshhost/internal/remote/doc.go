// Package remote has the interface between the parts of an SSH host: a program that
// runs somewhere else, with its three streams and its end.
//
// Packages conn, sftp, shell and sshhost use it: [Starter] is what a connection is to
// packages that speak to programs, and what a local shell is in their tests. Invariant: a
// line that is started is text for a POSIX shell, and every value in it is quoted.
//
// Elsewhere: how a connection is made and shared is package conn; what is said to the
// programs is packages sftp and shell.
package remote

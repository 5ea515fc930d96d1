// Package sftptest starts OpenSSH's SFTP server for tests, on the two ends of a
// pipe: the same program that sshd starts, without a connection around it.
//
// Packages sftp and files use it in their tests. Invariant: a test that needs the
// server is skipped where there is none, except in CI.
//
// Elsewhere: a whole sshd is package sshdtest.
package sftptest

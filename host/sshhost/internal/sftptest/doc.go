// Package sftptest starts OpenSSH's SFTP server for tests, on the two ends of a pipe: the
// same program that sshd starts, without a connection around it.
//
// Tests of packages sftp and sftpfs use it. Invariant: a test that needs the server is
// skipped if it is missing, except in CI.
//
// Elsewhere: package sshdtest starts a complete sshd.
package sftptest

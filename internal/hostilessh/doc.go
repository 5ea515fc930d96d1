// Package hostilessh has an SSH server that misbehaves, for tests: each connection has a [Fault],
// such as an endless identification line, or a program whose output is cut off. Up to the fault
// the server behaves correctly, and runs real programs: a shell for commands, and OpenSSH's SFTP
// server.
//
// The tests of package sshhost and those of the whole provider under a client use it.
//
// Invariants: the server listens on loopback only. If the test runs as root, programs run as
// another user, because the client may send commands based on falsified replies. All
// connections, programs and goroutines end with the server.
//
// Elsewhere: package sshdtest runs OpenSSH's sshd; package nettest simulates slow and broken
// networks.
package hostilessh

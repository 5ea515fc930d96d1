// Package sshhost is a host that is reached over SSH.
//
// Package resources/hosts makes a [Host] for each host that a configuration names. Its parts are in internal: the connection (conn), the shell (shell, shellrpc,
// elevate, command), the SFTP client (sftp), and the file system (remotefs), which works
// over SFTP (sftpfs), through the shell (shellfs), and for small changes through a Perl process
// (perlfs).
//
// The first operation on files detects which services the host offers: see mode.go.
//
// Invariants: those of package host; nothing is dialled before it is needed; a host has
// one connection at a time.
//
// Elsewhere: package host has the contract.
package sshhost

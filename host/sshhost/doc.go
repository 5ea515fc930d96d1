// Package sshhost implements [host.Host] for hosts that are reached over SSH.
//
// Package resources/hosts makes a [Host] for each host that a configuration names. The parts of
// a Host are in internal: the connection (conn), the shell (shell, shellrpc, elevate, command), the
// SFTP client (sftp), and the file system (remotefs), which works over SFTP (sftpfs), through
// the shell (shellfs), and for small files through a Perl process (perlfs).
//
// Files: host.go has the parts of a host and its options; files.go has the operations on
// files, tree.go and treewrite.go those on directories with their content; mode.go detects
// which services the host offers, for the first operation that depends on them; sessions.go
// opens the sessions that package conn keeps open; slots.go limits the connections to all hosts.
//
// Invariants: those of package host; nothing is dialled before it is needed; a host has
// one connection at a time.
//
// Elsewhere: package host has the contract.
package sshhost

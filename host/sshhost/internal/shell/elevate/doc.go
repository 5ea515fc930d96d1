// Package elevate runs programs of a host as another user, with sudo.
//
// [Elevated] wraps a starter, so that everything that uses the host's shell can run as that
// user: package sshhost uses it for commands, for the helper shell, for the processes of
// packages shellfs and perlfs and, with [StartSFTP], for the SFTP server.
//
// Invariants: a password never appears on a command line or in the environment. It is sent
// only in reply to the prompt that sudo was given, once per process; a rejected password is
// not tried again by later starts before [Elevated.Forget], because repeated attempts can lock the
// account. The streams of a program contain only its own data.
//
// Elsewhere: package remote starts programs as the user who authenticated.
package elevate

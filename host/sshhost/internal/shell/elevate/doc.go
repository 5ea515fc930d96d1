// Package elevate runs programs of a host as another user, by sudo.
//
// [Elevated] is a starter over another one, so whatever speaks to a host's shell can do
// so as that user: package sshhost puts it below commands, the shell that answers
// questions and, with [StartSFTP], the SFTP server.
//
// Invariants: a password is on no command line and in no environment, is sent when sudo
// asks with the prompt that it was given, and once a process: what was refused is not
// tried again, as that locks accounts. A program's streams are its own from the first
// byte to the last.
//
// Elsewhere: starting programs as the user who authenticates is package remote.
package elevate

// Package elevate makes programs of a host run as another user, by sudo.
//
// [Elevated] is a starter over another one, so whatever speaks to a host's shell
// can do so as that user: package sshhost puts it below commands, the shell that
// stays and, with [StartSFTP], the transfer of files.
//
// Invariants: a password is on no command line and in no environment, is sent when
// sudo asks by the words that it was told to ask with, and once a process: what was
// refused is not tried again, as that locks accounts. A program's streams are its
// own from the first byte to the last.
//
// Elsewhere: starting programs as the user who logged in is package remote.
package elevate

// Package shell runs scripts in the POSIX shell of a host. It builds scripts, starts a
// shell with clean streams, and kills it.
//
// [Text] is the only type for shell scripts: it consists of constants of the source and
// quoted values, so no value is ever interpreted as a command. [Start] runs a script
// without any value on a command line, and returns when the script reports that it is
// ready. Earlier output of the login shell is discarded.
//
// Its users are packages shellrpc (requests about files and accounts, many at a time),
// command (running commands), elevate (running as another user), shellfs (files through
// the shell), perlfs (files through a Perl process) and sshhost (directory trees, and
// detecting hosts without a shell).
//
// Invariants: the command line for the login shell is a constant that all common shells,
// including fish and csh, interpret alike. Values, environment and passwords are sent only
// on the shell's input.
//
// Elsewhere: package remote has the interface that starts a program on a host.
package shell

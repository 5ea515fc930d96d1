// Package shell runs texts in the POSIX shell of a host: how a text is put together, how
// a shell is started so that its streams are clean, and how it is ended.
//
// [Text] is the only way to shell text: it is made of constants of the source and of
// quoted values, so no value is ever read as a command. [Start] runs a text whose values
// are on no command line, and returns when the text says that it is ready: whatever a
// login shell printed before is dropped.
//
// Its users are packages shellrpc (questions about files and accounts, many at a time),
// command (running commands), elevate (becoming another user) and shellfs (files through
// the shell).
//
// Invariants: the line that a login shell gets is one constant, which the common shells,
// also fish and csh, read alike. Values, environment and passwords travel on the shell's
// input only.
//
// Elsewhere: how a program is started on a host is package remote.
package shell

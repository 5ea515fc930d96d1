// Package shell decides what is said to the POSIX shell of a host: how its
// text is put together, how one is started so that its streams are clean, and
// how it is ended.
//
// [Text] is the only way to shell text: it is made of constants of the source
// and of quoted values, so no value is ever read as a command. [Start] runs a
// text whose values are on no command line, and answers when the text says that
// it is ready: whatever a login shell printed before is dropped.
//
// Its users are the packages below it: batch (questions about files and
// accounts, many at a time), command (running commands), elevate (becoming another
// user) and files (files by the shell alone).
//
// Invariants: the line that a login shell sees is one constant, which the
// common shells, fish and csh among them, read alike. Values, environment and
// passwords travel on the shell's input alone.
//
// Elsewhere: how a program is started on a host is package remote.
package shell

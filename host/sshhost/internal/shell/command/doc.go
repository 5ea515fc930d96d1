// Package command runs commands on a host through its shell, as package host promises of
// a [host.Runner].
//
// Package sshhost runs by it what resources ask for, also as another user when its
// starter is one of package elevate.
//
// Invariants: arguments reach the command as they are; environment and input are on no
// command line; a command that is to be stopped is killed with all that it started.
// Nothing is run twice.
//
// Elsewhere: how a shell is started and ended is package shell.
package command

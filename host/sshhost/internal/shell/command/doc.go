// Package command runs commands on a host through its shell and implements [host.Runner].
//
// Package sshhost uses it for the commands of resources, including those that run as
// another user if the starter is from package elevate.
//
// Invariants: arguments reach the command unchanged; environment and input never appear on
// a command line; a canceled command is killed with its child processes. No command is run
// twice.
//
// Elsewhere: package shell starts and ends shells.
package command

// Command servers stands in for three machines: it runs three SSH servers on
// loopback for the own user, and writes what a configuration has to know of them.
//
//	go run ./examples/fleet/servers
//
// It needs OpenSSH's sshd, and removes everything when it is interrupted.
package main

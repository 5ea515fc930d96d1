// Command servers runs three SSH servers on loopback, and writes the variables of the
// configuration in the directory above, so that it can be tried without three hosts.
//
//	go run ./examples/fleet/servers
//
// It needs OpenSSH's sshd. It removes all files when it is interrupted.
package main

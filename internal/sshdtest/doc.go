// Package sshdtest runs OpenSSH's sshd on loopback, for tests and benchmarks of
// hosts over SSH: what a client meets there is what it meets in the field.
//
// [Start] starts a server for a test and removes it at its end; [Launch] does so
// for a program. A [Server] has its own port, host keys, configuration and
// users, can be killed with all its sessions and started again on the same port,
// and tells from its log how many connections and sessions there were.
//
// Invariants: the machine is as it was, while a server runs and after. As root,
// on Linux, sshd gets a namespace of mounts, in which /etc/passwd and its like,
// the sudoers, the rules of PAM, /run and the logs are its own, and a namespace of
// processes, which ends with it. Elsewhere the own user is the only one, and
// tests that need others are skipped. Where sshd is missing, tests are skipped,
// and fail where CI is set.
//
// Elsewhere: installing sshd is scripts/prepare, slow and broken networks are
// package nettest.
package sshdtest

// Package sshdtest runs OpenSSH's sshd on loopback, for tests and benchmarks of
// hosts over SSH.
//
// [Start] starts a server for a test and removes it at the end; [Launch] starts
// a server for a program, which must close the server. A [Server] has its own port, host keys, configuration
// and users. It can be killed with all its sessions and restarted on the same
// port, and counts the connections and sessions in its log.
//
// Invariants: a server does not change the host, either while it runs or
// afterwards. As root on Linux, sshd runs in a mount namespace with its own
// /etc/passwd, /etc/shadow, /etc/group, sudoers, PAM rules, /run and logs, and
// in a PID namespace that ends with it; if such namespaces are impossible, tests
// as root are skipped. If the tests do not run as root, only the user of this process
// can log in, and tests that need other users are skipped. If sshd is missing,
// tests are skipped, or fail if CI is set.
//
// Elsewhere: scripts/prepare installs sshd; package nettest simulates slow and
// broken networks.
package sshdtest

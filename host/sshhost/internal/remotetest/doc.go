// Package remotetest has a [remote.Starter] that starts programs on this host, for tests of
// packages that communicate with them.
//
// Its processes behave like those of an SSH server: each has its own session, its exit may
// be reported before its output ends, and abandoning it does not kill it. Fields of [Starter]
// select the ways in which servers differ.
//
// Elsewhere: internal/sshdtest starts real SSH servers.
package remotetest

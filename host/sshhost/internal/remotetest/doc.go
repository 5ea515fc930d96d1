// Package remotetest is a [remote.Starter] that starts programs on this
// host, for tests of what is spoken to them.
//
// Its processes behave as those of an SSH server do: each is in a session of
// its own, its end is known before its output ends, and to give it up does not
// end it. What servers differ in is set in [Starter].
//
// Elsewhere: real SSH servers for tests are another package.
package remotetest

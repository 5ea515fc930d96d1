// Package memory implements [host.Host] with files that exist only in this process.
//
// Unit tests of resources use it: it is fast, has the configured users, runs commands with
// [Config.Run], injects errors with [Config.Fault] and [Config.Lost], and fulfils the same contract as a
// real host, including permissions: it passes hosttest.Run as root and as another user.
//
// One lock guards everything; it is not held while a caller's content or hook runs.
// Contents are never modified in place, so a reader keeps the content that it opened.
//
// Elsewhere: package host has the contract. The tests of package host/local cover events that need a
// kernel, such as the end of a writer's process.
package memory

// Package memory is [host.Host] with files that exist only in this process.
//
// Unit tests of resources use it: it is fast, has the users it is told, answers
// commands as it is told ([Config.Run]), fails where it is told
// ([Config.Fault]), and keeps the same contract as a real host, permissions
// included: hosttest.Run says so, for root and for a user with fewer rights.
//
// All of it is guarded by one lock, which is not held while a caller's content
// or hook runs. Contents are never changed in place, so a reader keeps what it
// has opened.
//
// Elsewhere: the contract is package host. What only a kernel does, such as
// the death of a writer, is tested in host/local.
package memory

// Package shellrpc asks a host about its files and accounts by a shell that stays:
// many questions at a time, in one round trip and with few processes.
//
// [Helper] is that shell: it is started when it is first needed, answers one
// batch of questions after another, and is started anew when it has gone.
// [Coalescer] makes batches of what is asked within a few milliseconds by however
// many goroutines, and sends a few before the first is answered. [Accounts] keeps
// what it learnt of users and groups.
//
// Package sshhost asks about files by it, and package shellfs does all its work by
// it, with [Question]s of its own.
//
// Invariants: a host is found to have a tool before that is used, and what a host
// can not answer is [errors.ErrUnsupported]; nothing is said to be absent unless
// the host's system said so; an answer is made of what was asked after the
// question, never of an earlier batch. Of what tools print for people, only the
// system's own reasons are read, in the C locale.
//
// Elsewhere: how a shell is started and ended is package shell.
package shellrpc

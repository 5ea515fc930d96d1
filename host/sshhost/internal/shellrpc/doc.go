// Package shellrpc asks a host about its files and accounts by a shell that is kept open:
// many questions at a time, in one round trip and with few processes.
//
// [Helper] is that shell: it answers one batch of questions after another. [Coalescer]
// makes batches of what any number of goroutines ask within a few milliseconds, and sends
// a few before the first is answered. [Accounts] keeps what it learnt of users and groups.
//
// Package sshhost asks about files by it, and package shellfs does all its work by it,
// with [Question]s of its own.
//
// Invariants: a tool is used only if the host was found to have it, and what a host
// cannot answer is [errors.ErrUnsupported]; nothing is reported as absent unless the
// host's system said so; an answer is made of what was printed after the question, never
// of an earlier batch. Of what tools print for people, only errno strings are parsed, in
// the C locale.
//
// Elsewhere: how a shell is started and ended is package shell.
package shellrpc

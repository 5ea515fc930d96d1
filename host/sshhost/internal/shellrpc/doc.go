// Package shellrpc queries the files and accounts of a host through a shell that stays
// open: many questions at a time, in one round trip and with few processes.
//
// [Helper] is that shell: it answers one batch of questions after another. [Coalescer]
// combines the questions of concurrent callers into batches, several of which can be in
// progress. [Accounts] caches users and groups.
//
// Package sshhost uses it for digests, accounts and removals, and package shellfs for
// everything, with its own [Question]s.
//
// Invariants: a tool is used only after it was found on the host; a question that the host
// cannot answer is [errors.ErrUnsupported]; a file is reported as absent only if the host's
// system returned that error; an answer consists only of output after its question.
// Messages of tools are parsed only for errno strings, in the C locale.
//
// Elsewhere: package shell starts and kills shells.
package shellrpc

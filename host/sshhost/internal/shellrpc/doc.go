// Package shellrpc executes requests for the files and accounts of a host with a shell that stays
// open: many requests at a time, in one round trip and with few processes.
//
// [Helper] is that shell: it executes one batch of requests after another. [Coalescer]
// combines the requests of concurrent callers into batches, several of which can be in
// progress. [Accounts] caches users and groups.
//
// Package sshhost uses it for digests, accounts, removals and the search for temporary files,
// and package shellfs, with its own [Request]s, for all operations except the transfer of large content.
//
// Invariants: a command for stat, digests or account databases is used only after it was found on the
// host; a request that needs a missing command for stat or digests fails with [errors.ErrUnsupported]; a
// file is reported as absent only if the host's system returned that error; a reply consists only of
// output after its request. Messages of tools are parsed only for errno strings, in the C locale.
//
// Elsewhere: package shell starts and kills shells.
package shellrpc

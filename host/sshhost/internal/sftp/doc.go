// Package sftp is a client of the SSH file transfer protocol, version 3
// (draft-ietf-secsh-filexfer-02), with the extensions of OpenSSH.
//
// It sends requests and matches replies with them; package sftpfs uses it to implement the
// contract of a host. It works over any stream: a channel of a connection, or the pipes of a process.
//
// Requests are added to a [Batch], sent in order and awaited together, so that
// requests that do not depend on each other's replies share a round trip:
//
//	b := client.Batch()
//	open, old := b.Open(temp, flags, sftp.WithMode(0o600)), b.Lstat(path)
//	if err := b.Do(ctx); err != nil { … }
//
// A single request is client.Batch().Lstat(path).Do(ctx).
//
// Invariants:
//
//   - Methods of [Client] are safe for concurrent use; those of a batch, a reader and their
//     replies are not.
//   - A call returns when its context ends. If a late reply opens a file, the client closes
//     it.
//   - A reply can cause an error but never a panic; the memory that a server can make the
//     client use is bounded.
//   - After a session has ended, all calls fail with the same [*LostError]; a client does
//     not reconnect.
//
// Elsewhere: package conn opens sessions and detects that the server is unreachable.
package sftp

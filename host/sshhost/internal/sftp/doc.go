// Package sftp is a client of the SSH file transfer protocol, version 3
// (draft-ietf-secsh-filexfer-02), with the extensions of OpenSSH.
//
// It decides how requests are sent and answers told apart, and nothing about
// what they are for: package sftpfs builds the contract of a host on it. It
// speaks over any stream: a channel of a connection, or the pipes of a process.
//
// Requests are put into a [Batch], sent in one piece and in order, and awaited
// together, so that what does not depend on another's answer costs no round
// trip of its own:
//
//	b := client.Batch()
//	open, old := b.Open(temp, flags, sftp.WithMode(0o600)), b.Lstat(path)
//	if err := b.Do(ctx); err != nil { … }
//
// One request alone is client.Batch().Lstat(path).Do(ctx).
//
// Invariants:
//
//   - All methods of [Client] may be called from many goroutines at once; a
//     batch, a file's reader and their replies belong to one at a time.
//   - A call returns when its context ends. Its late answer is awaited by the
//     client, and a file that this answer would have opened is closed.
//   - A server's answer can be an error and never a panic; what a server can
//     make a client hold in memory is bounded.
//   - A session that broke fails each call with the same [*LostError]; a
//     client is never repaired.
//
// Elsewhere: how a session comes about is package conn's, and so is finding
// out that the other side is dead.
package sftp

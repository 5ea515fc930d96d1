// Package perlfs changes and reads small files of a host, calculates digests and removes files,
// with a Perl process that keeps running: one round trip for each operation. It implements
// [remotefs.Backend] over another backend, which does all other operations.
//
// SFTP cannot do that: a request cannot depend on the success of the one before, so the
// rename that ends a write has to wait for the replies. A shell can, but starts about five
// programs for each file, or for each batch of digests and removals.
//
// Invariants:
//
//   - The program does the same checks in the same order as package sftpfs or, for digests
//     and removals, as package shellrpc. It is a constant; paths and contents are its input.
//   - The other backend does the operations that the program refuses or cannot do, and
//     determines the exact error. For edits, digests and removals, the caller does both.
//   - A change expires a few seconds after it was sent, by the clock of the process: data that
//     is delayed by a stalled connection changes nothing once the operation has returned.
//   - If the connection breaks, the other backend repeats the operation once the request can
//     no longer have an effect. All operations are idempotent, except an exclusive write and one
//     that requires an unchanged file: if the repeat of such a write fails, the file is compared
//     with the content and attributes to be written. An edit is not repeated: its caller reads
//     the file to determine whether the edit was made.
//
// Elsewhere: remotefs has the rules that do not depend on the backend; sshhost provides the
// session.
package perlfs

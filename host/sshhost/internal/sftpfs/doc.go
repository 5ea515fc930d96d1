// Package sftpfs is the file system of a host over SFTP: it implements [remotefs.Backend].
//
// It maps operations to requests, in as few round trips as is safe, and maps replies to
// errors: SFTP servers return SSH_FX_FAILURE for most errors, so this package then determines
// the reason. A small file is written in three round trips:
//
//  1. lstat of the path; creation of a temporary file beside it with mode 0600
//  2. content, owner, mode, sync, fstat of the file, and another lstat of the path
//  3. the rename, once all of that has succeeded
//
// A fourth is needed if the mode must be set after the owner: see [modeApart]. A small file is
// read in three as well, and most other operations take one or two: TestRoundTrips has the
// numbers.
//
// Invariants:
//
//   - A session is used for one operation and released before a callback runs that may need
//     another ([host.WriteOptions].BeforeReplace).
//   - If a session breaks, operations without an effect and idempotent ones are repeated in
//     a new session; others return the error.
//   - The server has the extensions of OpenSSH that [Check] names.
//
// Elsewhere: remotefs has the rules that do not depend on SFTP; sshhost provides sessions;
// shellfs is the backend for shells.
package sftpfs

// Package sftpfs is the file system of a host over SFTP: it implements
// [remotefs.Backend].
//
// It decides which requests an operation is, in as few round trips as its
// safety allows, and what an answer means: SFTP's servers say "failure" of most
// things, so after one this package looks and says what it found. A small file
// is written in three round trips:
//
//  1. what is at the path; a temporary file beside it, made with mode 0600
//  2. the content, the owner, the mode, a sync, what the file then is, and what
//     is at the path now
//  3. the name, once all of that is known to be well
//
// A fourth is needed where a mode must not come before its owner: see
// [modeApart]. Other operations take one or two.
//
// Invariants:
//
//   - A session is used for one operation and released before anything of the
//     caller's runs that may need another ([host.WriteOptions].BeforeReplace).
//   - When a session breaks, what has no effect or can have it twice is repeated in a
//     new one; other operations return that error.
//   - The server has the extensions of OpenSSH that [Check] names.
//
// Elsewhere: what does not depend on SFTP is package remotefs, sessions are package
// sshhost's, files through a shell are package shellfs.
package sftpfs

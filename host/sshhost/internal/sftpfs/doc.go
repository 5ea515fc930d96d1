// Package sftpfs is the file system of a host over SFTP: it implements
// [host.Files] for package sshhost.
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
// Invariants, beside those of package host:
//
//   - A session is taken for one operation and given back before anything of the
//     caller's runs that may need another ([host.WriteOptions].BeforeReplace).
//   - Where a session breaks, what had no effect or can have it twice is done
//     again with a new one; other operations end with that error.
//   - What a server has no extension to do in one step is not done in two: it is an
//     error that others take for a request, or the work of a [Placer].
//   - Temporary files have a lease in their name instead of a lock: see
//     package lease.
//
// Elsewhere: sessions are made by package conn and shared by package sshhost,
// which also knows the names of users; files by shell alone are package shell.
package sftpfs

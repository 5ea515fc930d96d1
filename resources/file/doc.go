// Package file is posix_file: a regular file with its content, mode and owner.
//
// It decides when a file that is there already is ours to manage, when content
// is written and when only mode and owner are set, what has to accept new content
// first and what is kept of the old, how content that was read back is shown, and
// what is stored of content that must not be. Package resources registers it.
//
// Invariants:
//
//   - What is at the path is replaced only when it is a regular file and either
//     in state or to be overwritten on request; links are never followed.
//   - Content is written only when it differs from what is there, and of a source
//     only what was planned; it is never held in memory as a whole.
//   - New content has the name only after it was validated, and after what had the
//     name was kept, where either is asked for. What was kept is never removed.
//   - Text in state is byte for byte what is in the file; what cannot be text
//     there is null.
//   - Of write-only content the state has a salted and stretched digest only,
//     neither its SHA-256 nor its size.
//
// Elsewhere: atomic writes are package host, drift and plans package runtime,
// mode and owner package access.
package file

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe File Output

// Package file is the resource posix_file: a regular file with its content, mode and
// owner.
//
// It decides when an existing file is adopted, when content is written and when only
// mode and owner are set, how new content is validated, how old content is kept, how the
// content of a file is shown, and which data on write-only content is stored.
//
// Invariants:
//
//   - An object is only replaced if it is the file in the state, or if overwrite is set. Links
//     at the path are not followed.
//   - Content is not written if the file is known to have it. The content of a source is written
//     only if it is the planned content. A source is never held in memory as a whole.
//   - The file is replaced only after validation and backup, if these are configured.
//     Backups of replaced content are kept.
//   - Text in the state is the exact content of the file, or null.
//   - The state has only a salted and stretched digest of write-only content, and neither
//     its SHA-256 nor its size.
//
// Elsewhere: package host writes atomically; package runtime handles drift and plans;
// package access handles mode and owner.
package file

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe File Output

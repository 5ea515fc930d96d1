// Package block is the resource posix_file_block: a managed block of lines in a text
// file, between two marker comments.
//
// It decides where a block is and where it is inserted (text.go, pure functions), and
// when an existing block is adopted.
//
// Invariants:
//
//   - Bytes outside the markers are never changed: line endings, a byte order mark, a
//     missing newline at the end and invalid UTF-8 stay as they are. A block that is inserted and
//     then removed leaves the file as it was, byte for byte.
//   - Blocks with other names are not changed either.
//   - If the markers of the block are unbalanced, nothing is changed, and the error names their lines.
//
// Elsewhere: package textedit replaces the file without losing concurrent changes; package
// file manages whole files.
package block

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Block Output Identity

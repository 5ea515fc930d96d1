// Package block is posix_file_block: some lines of a file that somebody else owns,
// between two comments that mark them.
//
// It decides where a block is and where it is put (text.go has all of that, as pure
// functions), and when one that is there already is ours to manage. Package
// resources registers it.
//
// Invariants:
//
//   - What is not between the markers is never changed: line ends, a byte order mark, a
//     missing newline at the end and what is no text stay as they are. To put a block
//     in and to take it out again leaves the file as it was, byte for byte.
//   - Blocks of other names are as foreign as the rest.
//   - Where markers do not fit together nothing is changed, and the error says which
//     lines they are.
//
// Elsewhere: how the file is replaced without losing what others write is package
// edit; files that are managed as a whole are package file.
package block

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Block Output Identity

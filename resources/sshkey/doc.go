// Package sshkey is posix_authorized_key: a public key that may log in as a user, with
// its options.
//
// It decides what a line of authorized_keys says (line.go, option.go), which lines of
// such a file are one key's (file.go), all as pure functions, and how the file is
// changed. Package resources registers it.
//
// Invariants:
//
//   - The file is read and written by its user alone, also where the provider works as
//     root: whatever links that user makes, they lead nowhere where the user could not
//     go.
//   - Lines of other keys, and comments, keep their bytes. To put a key in and to take
//     it out again leaves the file as it was.
//   - A change is made of what the file has when it is replaced, as in package textedit.
//
// Elsewhere: files that root changes are package textedit.
package sshkey

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe AuthorizedKey Output Identity

// Package sshkey is posix_authorized_key: a public key that is authorized to log in as a
// user, with its options.
//
// It decides what a line of authorized_keys means and which lines belong to a key, as pure
// functions (line.go, option.go), and how the file is changed (account.go). Package
// resources registers it.
//
// Invariants:
//
//   - The file is read and written as its user, even if the provider runs as root: a symbolic
//     link cannot lead to a file that the user cannot access.
//   - Lines of other keys, and comments, keep their bytes. Adding and removing a key leaves
//     the file unchanged.
//   - A change is based on the content that it replaces, as in package textedit.
//
// Elsewhere: package textedit changes files that belong to root.
package sshkey

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe AuthorizedKey Output Identity

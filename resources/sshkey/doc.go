// Package sshkey is posix_authorized_key: a public key that is authorized for logins as a
// user, with its options.
//
// It decides what a line of authorized_keys means and which lines belong to a key, in pure
// functions (line.go, option.go), and how the file is changed (account.go). Package
// resources registers it.
//
// Invariants:
//
//   - The file is read and written as its user, even if the provider runs as root: a symbolic
//     link cannot lead to a file that the user cannot access.
//   - Lines of other keys, and comments, keep their bytes. Adding a key and removing it again
//     restores the content of the file.
//   - A change is based on the content that it replaces, as in package textedit.
//
// Elsewhere: package textedit changes files as the user the provider runs as.
package sshkey

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe AuthorizedKey Output Identity

// Package sudoers is the resource posix_sudoers: a file in /etc/sudoers.d.
//
// It decides how rules are checked before a file is replaced, when an existing file is
// adopted, and how to show a content that a string of Terraform cannot contain.
//
// Invariants: rules that visudo rejects are never in a file that sudo reads; the file
// belongs to root and is not writable by others at any time.
//
// Elsewhere: package dropin writes the file.
package sudoers

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Sudoers Output

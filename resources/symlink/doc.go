// Package symlink is the resource posix_symlink: a symbolic link with its target.
//
// It decides when an existing link is adopted, and how to show a target that a string of
// Terraform cannot contain.
//
// Invariants: the link is not followed, and its target need not exist; only a link is
// replaced or deleted; a changed target replaces the link atomically.
//
// Elsewhere: package host replaces the link.
package symlink

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Symlink Output

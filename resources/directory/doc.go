// Package directory is the resource posix_directory: a directory with its mode and
// owner.
//
// It decides when an existing directory is adopted, and what is deleted with a
// directory.
//
// Invariants: creating never changes a directory that is in use and differs from the
// configuration, unless the same run has made it as a parent of another object; content
// is deleted only if force_destroy is true in the state; links are not followed, neither at the
// path nor below it.
//
// Elsewhere: package access handles mode and owner; package file handles files.
package directory

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Directory Output

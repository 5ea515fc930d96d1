// Package directory is posix_directory: a directory with its mode and owner.
//
// It decides when a directory that is there already is ours to manage, and what
// may be deleted with one. Package resources registers it.
//
// Invariants: a directory that is in use with other attributes than configured
// is never changed by a create; nothing in a directory is deleted unless
// force_destroy is in state; a link is never followed, neither at the path nor
// below it.
//
// Elsewhere: mode and owner are package access, files are package file.
package directory

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Directory Output

// Package symlink is posix_symlink: a symbolic link with its target.
//
// It decides when a link that is there already is ours to manage, and how a
// target that is no text is shown. Package resources registers it.
//
// Invariants: the link is never followed, so its target needs not exist; only
// a link is ever replaced or deleted; a change of the target is one step for
// whoever looks.
//
// Elsewhere: how a link is replaced is package host.
package symlink

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Symlink Output

// Package sudoers is posix_sudoers: a file in /etc/sudoers.d, which says who may do
// what as whom.
//
// It decides how rules are judged before anything is replaced, when a file that is
// there already is ours to manage, and how a text that is none is shown. Package
// resources registers it.
//
// Invariants: what visudo does not accept never gets the name of a file that sudo
// reads; the file is root's and nobody may write to it, from its first moment.
//
// Elsewhere: the file itself is package dropin.
package sudoers

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Sudoers Output

// Package hostname is posix_hostname: the name that a host has, and keeps when it
// starts again.
//
// It decides what a name can be, which of the two places is read for what, and how
// a running system is told. Package resources registers it.
//
// Invariants: comments in /etc/hostname stay; a name is set in both places or the
// error says in which it is; nothing else than these two is changed.
//
// Elsewhere: how the file is changed is package textedit.
package hostname

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Hostname Identity Output
